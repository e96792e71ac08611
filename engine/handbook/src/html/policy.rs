//! What a browser may do with a page: show it, nothing else.

use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// A page of the site: scripts and styles of its own directory. Browsers let `'self'` cover classic scripts
/// beside a page that was opened from the disk.
pub(crate) const SITE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

/// The single page: the one script and the one style it holds, by their hashes.
pub(crate) static SINGLE: LazyLock<String> = LazyLock::new(|| {
    let [script, style] =
        [super::SCRIPT, super::STYLE].map(|text| BASE64_STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
});
