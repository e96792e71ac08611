/// A key. There is no way to print, compare or write it: only [`Secret::expose`], for the request's header.
pub struct Secret(String);

impl Secret {
    /// Takes a key; white space around it, as files and shells leave it there, does not belong to it.
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }

    /// Reads an environment variable; none if it is not set, empty or not UTF-8.
    pub fn from_environment(name: &str) -> Option<Self> {
        std::env::var(name).ok().and_then(|key| Self::new(&key))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Whether a text repeats the key.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        text.contains(&self.0)
    }
}
