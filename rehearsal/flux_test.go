package rehearsal

import "testing"

func TestParseFlux(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "2.4": 4, "v2.9.1": 9, "2.7.x": 7} {
		if got, err := ParseFlux(text); err != nil || got.minor != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"2", "2.3", "2.10", "3.9", "newest", "v1.2"} {
		if got, err := ParseFlux(text); err == nil {
			t.Errorf("%q: %+v, want an error", text, got)
		}
	}
}
