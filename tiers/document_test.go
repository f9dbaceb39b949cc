package tiers

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWebhookManifest: what Kubernetes' unstructured objects refuse, such as an
// int, does not reach them; what is no JSON is the text that was written.
func TestWebhookManifest(t *testing.T) {
	order := mustParse(t, readGolden(t, "testdata/parse/scalars.txt").sections["file"])
	want := map[string]any{
		"a": "2020-01-01", "b": ".inf", "c": "x", "d": int64(16), "e": "18446744073709551615", "f": 1.5, "7": "seven", "g": nil,
	}
	got := order.Tiers[0].Probes[0].Webhook.Object["metadata"]
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMerge: own fields win over merged ones, earlier merges over later ones.
func TestMerge(t *testing.T) {
	order := mustParse(t, `tiers:
  - &slow {name: a, timeout: 20m}
  - <<: [*slow, {optional: true, timeout: 1m}]
    name: b
  - {name: c, timeout: 2m, <<: *slow}
`)
	b, c := order.Tiers[1], order.Tiers[2]
	if b.Name != "b" || b.Timeout.Minutes() != 20 || !b.Optional || c.Name != "c" || c.Timeout.Minutes() != 2 {
		t.Errorf("b is %+v, c is %+v", b, c)
	}
}

func TestFileTooLarge(t *testing.T) {
	_, err := Parse("big.yaml", bytes.Repeat([]byte("#\n"), maxFileSize))
	if want := "big.yaml: the file has 2097152 bytes; the most that is read is 1 MiB"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestManyAliases: a wide file is no bomb, and is read in bounded time.
func TestManyAliases(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: standup/v1\nkind: TierOrder\ndefaults: {timeout: &t 5m}\ntiers:\n")
	for i := range 2000 {
		b.WriteString("  - {name: t" + numbered(i, nil) + ", timeout: *t}\n")
	}
	order, err := Parse("wide.yaml", []byte(b.String()))
	if err != nil || len(order.Tiers) != 2000 {
		t.Errorf("got %v", err)
	}
}

func TestFaultsAreFileErrors(t *testing.T) {
	_, err := Parse("T.yaml", []byte("apiVersion: standup/v1\nkind: TierOrder\ntiers: [{nam: a}, {name: B/c}]\n"))
	var first *FileError
	if !errors.As(err, &first) {
		t.Fatalf("not a FileError: %v", err)
	}
	want := FileError{File: "T.yaml", Line: 3, Column: 9, Message: "tiers[0] has no name", Hint: "add it"}
	if *first != want {
		t.Errorf("the first is %+v, want %+v", *first, want)
	}
	if n := strings.Count(err.Error(), "T.yaml:3:"); n != 3 {
		t.Errorf("%d faults are printed, want 3:\n%v", n, err)
	}
}

func TestFileErrorText(t *testing.T) {
	tests := []struct {
		err  FileError
		want string
	}{
		{FileError{File: "f", Line: 2, Column: 3, Message: "m", Hint: "h"}, "f:2:3: m; h"},
		{FileError{File: "f", Line: 2, Message: "m"}, "f:2:1: m"},
		{FileError{File: "f", Message: "m"}, "f: m"},
		{FileError{Line: 2, Column: 3, Message: "m"}, "2:3: m"},
		{FileError{Message: "m"}, "m"},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"fine", "anchors", "bomb", "merge-in-itself", "anchor-in-itself", "scalars", "types", "twice", "two-documents"} {
		data := readSeed(f, "testdata/parse/"+name+".txt")
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		order, err := Parse("TIER_ORDER.yaml", data)
		if err == nil {
			if len(order.Tiers) == 0 || order.Defaults.Timeout <= 0 {
				t.Errorf("accepted, and yet %+v", order)
			}
			return
		}
		var fault *FileError
		if !errors.As(err, &fault) || fault.Line < 0 || !strings.HasPrefix(fault.Error(), "TIER_ORDER.yaml:") {
			t.Errorf("not a FileError with a place: %v", err)
		}
	})
}
