#!/bin/sh
# One CI job: is the committed handbook up to date, or build one; say what changed and why.
#
# BINDERY          the program [default: bindery]
# BINDERY_ROOT     the directory to analyse [default: .]
# BINDERY_BASE     a commit to compare with; without it, or where it is not here, no comparison
# BINDERY_MODE     `check` (a committed handbook must be up to date) or `build` [default: build]
# BINDERY_SUMMARY  where the summary goes [default: $GITHUB_STEP_SUMMARY, else bindery-summary.md]
set -eu

bindery=${BINDERY:-bindery}
root=${BINDERY_ROOT:-.}
summary=${BINDERY_SUMMARY:-${GITHUB_STEP_SUMMARY:-bindery-summary.md}}
status=0

case ${BINDERY_MODE:-build} in
build)
  "$bindery" build --summary "$summary" "$root" || status=$?
  ;;
check)
  stale=$("$bindery" check "$root") || status=$?
  printf '### Handbook\n\n' >>"$summary"
  if [ "$status" -eq 0 ]; then
    printf 'Up to date.\n' >>"$summary"
  else
    printf 'Not what a build would write:\n\n' >>"$summary"
    printf '%s\n' "$stale" | sed 's/^/    /' >>"$summary"
    if [ -n "${GITHUB_ACTIONS:-}" ]; then
      printf '%s\n' "$stale" | sed -n 's/^\(outdated\|missing\|leftover\|foreign\) *\(.*\)$/::error file=\2::\1: not what a build would write/p'
    fi
  fi
  ;;
*)
  echo "BINDERY_MODE is neither build nor check: ${BINDERY_MODE}" >&2
  exit 2
  ;;
esac

if [ -n "${BINDERY_BASE:-}" ] && [ "$status" -ne 1 ]; then
  if report=$("$bindery" diff "$BINDERY_BASE" --markdown --root "$root"); then
    printf '\n%s\n' "$report" >>"$summary"
  else
    echo "no comparison with $BINDERY_BASE" >&2
  fi
fi
exit "$status"
