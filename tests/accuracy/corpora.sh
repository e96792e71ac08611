#!/usr/bin/env bash
# Puts a corpus together that no package holds as a whole.
#
#   corpora.sh NAME CORPORA    makes CORPORA/NAME from what lies in CORPORA and from the registries
#
# NAME is `rust-ripgrep-workspace` (the packages of ripgrep's workspace, where its repository has them),
# `java-jdk17-util` (the package `java.util` of the JDK in a tree of its own) or `python-flask-tests` (flask with its
# tests).
set -euo pipefail
name=$1 corpora=$(cd "$2" && pwd)
dest=$corpora/$name
aside=$(mktemp -d "$corpora/.assembling.XXXXXX")
trap 'rm -rf "$aside"' EXIT

ripgrep_workspace() {
  local part version parts=(globset grep grep-cli grep-matcher grep-pcre2 grep-printer grep-regex grep-searcher ignore)
  cp -a "$corpora/rust-ripgrep" "$aside/tree"
  mkdir "$aside/vendor" && : >"$aside/lib.rs"
  printf '%s\n' '[package]' 'name = "parts"' 'version = "0.0.0"' 'edition = "2021"' '[lib]' 'path = "lib.rs"' \
    '[workspace]' '[dependencies]' >"$aside/Cargo.toml"
  for part in "${parts[@]}"; do
    version=$(grep -A1 "^name = \"$part\"" "$aside/tree/Cargo.lock" | sed -n 's/^version = "\(.*\)"/\1/p')
    echo "$part = { version = \"=$version\", default-features = false }" >>"$aside/Cargo.toml"
  done
  (cd "$aside" && cargo vendor --quiet --versioned-dirs vendor >/dev/null)
  for part in "${parts[@]}"; do
    mv "$aside/vendor/$part"-[0-9]* "$aside/tree/crates/${part#grep-}"
    (cd "$aside/tree/crates/${part#grep-}" && rm -f Cargo.lock .cargo-checksum.json && mv Cargo.toml.orig Cargo.toml)
  done
  mv "$aside/tree/Cargo.toml.orig" "$aside/tree/Cargo.toml"
}

jdk_util() {
  mkdir -p "$aside/tree/java"
  cp -a "$corpora/java-jdk17/java.base/java/util" "$aside/tree/java/util"
}

flask_with_tests() {
  mkdir "$aside/tree"
  python3 -m pip download --quiet --no-deps --no-binary flask --dest "$aside" flask==3.1.3
  tar -xf "$aside"/flask-*.tar.gz --strip-components=1 -C "$aside/tree"
}

case $name in
  rust-ripgrep-workspace) ripgrep_workspace ;;
  java-jdk17-util) jdk_util ;;
  python-flask-tests) flask_with_tests ;;
  *) echo "corpora.sh: no corpus \`$name\` is known here" >&2; exit 2 ;;
esac
mv "$aside/tree" "$dest"
