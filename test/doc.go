// Package test holds what is true of the repository as a whole: which package
// may import which, and how large and how documented the code is. Everything
// here reads source; nothing runs it.
package test
