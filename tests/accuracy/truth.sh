#!/usr/bin/env bash
# Asks the other side where that takes more than one of its commands. Run behind `source TOOLS/env.sh`, which says where
# the comparers (O) and their tools (P) are.
#
#   truth.sh mir SRC TRUTH CARGO-ARGUMENTS…   rustc's MIR of what cargo builds so, and syn's list of definitions
#   truth.sh javac SRC TRUTH                  javac on sources that are a part of the platform's module `java.base`
#   truth.sh trace SRC TRUTH PACKAGE…         the Python calls that the project's own tests make; SRC is its `src`
#                                             directory, `tests` lies beside it, the tests need PACKAGE…
set -euo pipefail
kind=$1 source=$(cd "$2" && pwd) truth=$3
shift 3
aside=$(mktemp -d)
trap 'rm -rf "$aside"' EXIT

mir() {
  cp -a "$source" "$aside/tree" # cargo writes into the tree it builds
  (cd "$aside/tree" && RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$aside/target" \
    RUSTFLAGS="${RUSTFLAGS:-} --emit=mir -Zmir-include-spans=on -Ztrim-diagnostic-paths=no" cargo build --quiet "$@")
  "$P/rust_defs/target/release/rust_defs" "$source" >"$aside/defs.json"
  # The packages of the tree without their examples, whose types the comparison would take for the packages' own.
  local crate crates files=()
  crates=$(cd "$aside/tree" && cargo metadata --format-version 1 --no-deps | python3 -c '
import json, sys
names = {t["name"].replace("-", "_") for p in json.load(sys.stdin)["packages"] for t in p["targets"]}
print(*sorted(names | {"build_script_build"}))')
  for crate in $crates; do
    while IFS= read -r file; do files+=("$file"); done < <(find "$aside/target/debug/deps" -name "$crate-*.mir" | sort)
  done
  (cd "$source" && python3 "$O/rust_truth.py" "$source" "$aside/defs.json" "$truth" "${files[@]}")
}

javac_of_platform() {
  sed 's/List.of("-proc:none",/List.of("-proc:none", "--patch-module", "java.base=" + a[0],/' "$O/JavaTruth.java" \
    >"$aside/JavaTruth.java"
  javac --add-modules jdk.compiler -d "$aside" "$aside/JavaTruth.java"
  java --add-modules jdk.compiler -cp "$aside" JavaTruth "$source" "$truth"
}

trace() {
  python3 -m venv "$aside/venv"
  "$aside/venv/bin/pip" install --quiet 'pytest<9' "$@"
  cp -a "$source" "$source/../tests" "$source/../pyproject.toml" "$aside"
  # The names in the truth are relative to `src`, so a copy gives the same; running leaves nothing in the corpus.
  (cd "$aside" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$aside/src" \
    "$aside/venv/bin/python" "$O/py_dyn.py" src "$truth" -- -m pytest -q -p no:cacheprovider tests >"$aside/log") || true
  sed -i "s|\"root\": *\"[^\"]*\"|\"root\": \"$source\"|" "$truth"
}

case $kind in
  mir) mir "$@" ;;
  javac) javac_of_platform ;;
  trace) trace "$@" ;;
  *) echo "truth.sh: \`$kind\` is not known" >&2; exit 2 ;;
esac
