package tiers

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestImportBash(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"one line", "TIER_ORDER=(a b c)", "a|b|c"},
		{"many lines and comments", "#!/usr/bin/env bash\nset -euo pipefail\nTIER_ORDER=(\n  flux-system   # the root\n  # cilium first\n  cilium\n\n  platform\n)\nfor t in \"${TIER_ORDER[@]}\"; do :; done\n", "flux-system|cilium|platform"},
		{"quotes", `TIER_ORDER=( 'a b' "c" d"e"'f' g\ h "i\"j" "k\l" )`, `a b|c|def|g h|i"j|k\l`},
		{"declared", "  readonly -a TIER_ORDER=(a)\n", "a"},
		{"declared with flags", "declare -r -a TIER_ORDER=(a)\n", "a"},
		{"the last one counts", "TIER_ORDER=(a b)\nTIER_ORDER=(c)\n", "c"},
		{"added to", "TIER_ORDER=(a)\nif x; then\n  TIER_ORDER+=(b)\nfi\n", "a|b"},
		{"a comment is none", "# TIER_ORDER=(x)\nTIER_ORDER=(a)\n", "a"},
		{"another array is none", "MY_TIER_ORDER=(x)\nTIER_ORDER=(a)\n", "a"},
		{"a hash in a name", "TIER_ORDER=(a#b #c\n)", "a#b"},
		{"lines go on", "TIER_ORDER=(a \\\n  b c\\\nd)", "a|b|cd"},
		{"windows", "TIER_ORDER=(\r\n  a\r\n  b\r\n)\r\n", "a|b"},
		{"namespaces", "TIER_ORDER=(flux-system/a media/b)", "flux-system/a|media/b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ImportBash([]byte(tt.script))
			if err != nil || strings.Join(got, "|") != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestImportBashErrors(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"none", "echo hello\n", "2:1: there is no array TIER_ORDER=( … ); name the script that has it"},
		{"a string is none", "TIER_ORDER=\"a b\"\n", "2:1: there is no array TIER_ORDER=( … ); name the script that has it"},
		{"empty", "TIER_ORDER=( # nothing\n)", "2:2: the array TIER_ORDER is empty; list the tiers in it"},
		{"not closed", "\nTIER_ORDER=(a\nb\n", "4:1: the array that begins in line 2 has no end; close it with )"},
		{"a variable", "TIER_ORDER=(\n  a\n  $B\n)", "3:3: '$' in the array needs a shell to expand it; write the names out"},
		{"a variable in quotes", "TIER_ORDER=(\"a${B}\")", "1:15: '$' in the array needs a shell to expand it; write the names out"},
		{"a command", "TIER_ORDER=(`ls`)", "1:13: '`' in the array needs a shell to expand it; write the names out"},
		{"a pattern", "TIER_ORDER=(apps-*)", "1:18: '*' in the array needs a shell to expand it; write the names out"},
		{"braces", "TIER_ORDER=({a,b})", "1:13: '{' in the array needs a shell to expand it; write the names out"},
		{"an index", "TIER_ORDER=([1]=a)", "1:13: '[' in the array needs a shell to expand it; write the names out"},
		{"a quote without end", "TIER_ORDER=(\n'a\n)", "3:2: the quote that begins in line 2 has no end; close it"},
		{"an empty name", "TIER_ORDER=(a '')", "1:17: a name in the array is empty; remove it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ImportBash([]byte(tt.script))
			var fault *FileError
			if !errors.As(err, &fault) || err.Error() != tt.want {
				t.Errorf("got %q, %v, want %s", got, err, tt.want)
			}
		})
	}
}

// TestImportToPlan: the names of a script make a file that Parse accepts.
func TestImportToPlan(t *testing.T) {
	got, err := ImportBash([]byte("TIER_ORDER=(flux-system cilium media/plex)"))
	if err != nil {
		t.Fatal(err)
	}
	if order := mustParse(t, string(Draft(got, ""))); len(order.Tiers) != 3 {
		t.Errorf("got %+v", order.Tiers)
	}
}

func FuzzImportBash(f *testing.F) {
	f.Add([]byte("TIER_ORDER=(a 'b' \"c\" # d\n e\\\nf)\nTIER_ORDER+=(g)"))
	f.Add([]byte("declare -a TIER_ORDER=(\r\n$x\r\n"))
	f.Add([]byte("TIER_ORDER=(\"\\"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ImportBash(data)
		var fault *FileError
		if err == nil && len(got) == 0 || err != nil && !errors.As(err, &fault) {
			t.Errorf("got %q, %v", got, err)
		}
		for _, name := range got {
			if name == "" {
				t.Errorf("an empty name in %q", got)
			}
		}
	})
}

// readSeed returns the section "file" of a golden file.
func readSeed(f *testing.F, path string) []byte {
	f.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "-- file --\n")
	file, _, _ := strings.Cut(rest, "-- want --\n")
	return []byte(file)
}
