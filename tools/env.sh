# Sourced by the Makefile, from the repository's root. Where HOME is not set, as
# on some CI runners, go has no place for its caches; they go beneath .cache then.
if [ -z "${HOME:-}" ]; then
	XDG_CACHE_HOME=${XDG_CACHE_HOME:-$PWD/.cache}
	GOPATH=${GOPATH:-$PWD/.cache/go}
	export XDG_CACHE_HOME GOPATH
fi
# A go.work above the checkout must not decide what is built here.
GOWORK=off
export GOWORK
