#!/bin/sh
# Regenerates what is derived from the code: generate.sh check|write
#
# check fails when that changed anything, on a dirty tree too: it compares the
# tree before and after rather than the tree with the last commit.
set -eu
state() {
	git status --porcelain --untracked-files=all
	git diff HEAD
	git ls-files --others --exclude-standard -z | xargs -0 git hash-object
}
before=$(state | git hash-object --stdin)
for module in . lab; do
	(cd "$module" && go generate ./...)
done
if [ "$1" = check ] && [ "$before" != "$(state | git hash-object --stdin)" ]; then
	echo "generated files were out of date; they are new now:" >&2
	git status --short >&2
	exit 1
fi
