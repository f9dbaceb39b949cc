package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/standup-sh/standup/internal/ui/jsonl"
	"github.com/standup-sh/standup/internal/ui/uitest"
)

func TestRecorderWritesEventsAndResult(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "standup", "runs")
	r := NewRecorder(dir, jsonl.Options{ExitCode: uitest.ExitCode})
	if r.Path() != "" {
		t.Errorf("a path before the first event: %s", r.Path())
	}
	s := uitest.Wedged()
	s.Play(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(dir, "20260905T031204.000Z-r7f3")
	if r.Path() != base+".jsonl" {
		t.Errorf("path %s", r.Path())
	}
	events, err := os.ReadFile(base + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(events), "\n"); n != len(s.Events) {
		t.Errorf("%d lines for %d events", n, len(s.Events))
	}
	result, err := os.ReadFile(base + ".result.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(result) != resultJSON(t, s) {
		t.Errorf("the recorded result differs from the printed one:\n%s", result)
	}
	for _, name := range []string{base + ".jsonl", base + ".result.json"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// A run that was killed leaves its events, and no result that it did not have.
func TestRecorderOfARunCutOff(t *testing.T) {
	dir := t.TempDir()
	r := NewRecorder(dir, jsonl.Options{})
	uitest.UnderWay().Play(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
}

func TestRecorderKeepsTheNewest(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		write(fmt.Sprintf("20260101T0000%02d.000Z-old.jsonl", i))
		write(fmt.Sprintf("20260101T0000%02d.000Z-old.result.json", i))
	}
	write("notes.txt") // somebody else's
	r := NewRecorder(dir, jsonl.Options{})
	uitest.Success().Play(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	runs, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	results, _ := filepath.Glob(filepath.Join(dir, "*.result.json"))
	if len(runs) != kept || len(results) != kept {
		t.Errorf("%d runs and %d results are left, want %d", len(runs), len(results), kept)
	}
	if filepath.Base(runs[0]) != "20260101T000011.000Z-old.jsonl" {
		t.Errorf("the oldest left is %s", runs[0])
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error(err)
	}
}

func TestRecorderThatCannotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a file in the way": filepath.Join(file, "runs"), "no home": ""} {
		r := NewRecorder(dir, jsonl.Options{})
		uitest.Success().Play(r)
		if err := r.Close(); err == nil || !strings.HasPrefix(err.Error(), "record the run: ") {
			t.Errorf("%s: Close = %v", name, err)
		}
		if r.Err() == nil {
			t.Errorf("%s: Err is nil", name)
		}
	}
}

func TestRecorderWithoutEvents(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	if err := NewRecorder(dir, jsonl.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a directory was made for nothing: %v", err)
	}
}

// A run's ID is no path.
func TestRecorderStaysInItsDirectory(t *testing.T) {
	dir := t.TempDir()
	r := NewRecorder(dir, jsonl.Options{})
	s := uitest.NewScript("../../../etc/passwd").Plan(uitest.Chain(1))
	s.Play(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := filepath.Dir(r.Path()), dir; got != want {
		t.Errorf("recorded in %s, want %s", got, want)
	}
	b, err := os.ReadFile(r.Path())
	if err != nil || !json.Valid(b) {
		t.Errorf("%v: %s", err, b)
	}
}

func TestRunsDir(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"XDG_STATE_HOME": "/state", "HOME": "/home/op"}, "/state/standup/runs"},
		{map[string]string{"HOME": "/home/op"}, "/home/op/.local/state/standup/runs"},
		{map[string]string{"XDG_STATE_HOME": "relative", "HOME": "/home/op"}, "/home/op/.local/state/standup/runs"},
		{nil, ""},
	} {
		if got := RunsDir(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: got %q, want %q", c.env, got, c.want)
		}
	}
}
