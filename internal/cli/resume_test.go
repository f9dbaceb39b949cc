package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	"github.com/standup-sh/standup/internal/ui/uitest"
)

// outputs are those of resume that a program or a log reads.
func outputs() []string { return []string{"plain", "json", "jsonl"} }

// everyOutput resumes a cluster made anew for each output, and holds what was
// said against golden files. It returns the last of the clusters.
func everyOutput(t *testing.T, name string, want int, cluster func() *fleet, flags ...string) *fleet {
	t.Helper()
	var f *fleet
	for _, output := range outputs() {
		f = cluster()
		args := append([]string{"resume", "-f", f.order(t, threeTiers), "-o", output}, flags...)
		f.golden(t, "resume-"+name+"."+output, want, args...)
		if holder := f.holder(t); holder != "" {
			t.Errorf("-o %s: %s keeps the lock", output, holder)
		}
	}
	return f
}

func TestResumeOfAHealthyClusterChangesNothing(t *testing.T) {
	f := everyOutput(t, "healthy", ExitOK, func() *fleet { return newFleet(t, chain()...) })
	f.wrote(t)
}

func TestResumeOfASuspendedChain(t *testing.T) {
	f := everyOutput(t, "suspended", ExitOK, func() *fleet {
		f := newFleet(t, chain(suspended)...)
		f.reconciles(t, nil)
		return f
	})
	f.wrote(t, "cilium", "platform", "apps")
	for _, name := range []string{"cilium", "platform", "apps"} {
		f.nudged(t, name, false) // an un-suspend wakes the controller by itself
	}
	if text, code := f.run(t, "resume", "-f", f.order(t, threeTiers)); code != ExitOK || !strings.Contains(text, "nothing was changed") {
		t.Errorf("the second run: exit code %d\n%s", code, text)
	}
	f.wrote(t, "cilium", "platform", "apps")
}

// Killed behind the first tier and run again, it carries on.
func TestResumeCarriesOn(t *testing.T) {
	half := chain(suspended)
	half[0] = kustomization("cilium")
	f := newFleet(t, half...)
	f.reconciles(t, nil)
	if text, code := f.run(t, "resume", "-f", f.order(t, threeTiers)); code != ExitOK {
		t.Errorf("exit code %d\n%s", code, text)
	}
	f.wrote(t, "platform", "apps")
}

// What takes its time is seen in between: in progress, then Ready.
func TestResumeFollowsTheController(t *testing.T) {
	f := newFleet(t, kustomization("cilium", suspended))
	f.reconciles(t, map[string]outcome{"cilium": busy})
	args := []string{"resume", "-f", f.order(t, "tiers:\n  - name: cilium\n"), "-o", "jsonl"}
	r := f.start(t, args...)
	r.out.await(t, `"state":"Progressing"`)
	f.change(t, "cilium", applied(revision))
	code := r.end(t)
	if code != ExitOK {
		t.Errorf("exit code %d", code)
	}
	uitest.Golden(t, "resume-followed.jsonl", f.said(args, r.out.String(), r.errs.String(), code))
}

// A Kustomization whose dependency became Ready sleeps for 30 s; a nudge wakes it.
func TestResumeNudgesWhatIsBlocked(t *testing.T) {
	f := newFleet(t, kustomization("cilium"), kustomization("apps", behind("cilium"), waiting("cilium")))
	f.reconciles(t, map[string]outcome{"apps": busy})
	args := []string{"resume", "-f", f.order(t, "tiers:\n  - name: cilium\n  - name: apps\n")}
	r := f.start(t, args...)
	r.errs.await(t, "apps: nudged")
	f.change(t, "apps", applied(revision))
	code := r.end(t)
	if code != ExitOK {
		t.Errorf("exit code %d", code)
	}
	uitest.Golden(t, "resume-nudged", f.said(args, r.out.String(), r.errs.String(), code))
	f.wrote(t, "apps")
	f.nudged(t, "apps", true)
}

// Git wins: what it declares suspended stays so, and what is behind it too.
func TestResumeLeavesWhatGitSuspends(t *testing.T) {
	f := everyOutput(t, "in-git", ExitOK, func() *fleet {
		cluster := chain(suspended)
		inGit(cluster[1])
		f := newFleet(t, cluster...)
		f.reconciles(t, nil)
		return f
	})
	f.wrote(t, "cilium")
}

func TestResumeWithoutTierOrder(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.reconciles(t, nil)
	f.golden(t, "resume-levels", ExitOK, "resume")
	f.wrote(t, "cilium", "platform", "apps")
}

func TestResumeLogsInJSON(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.reconciles(t, nil)
	f.golden(t, "resume-log.json", ExitOK, "resume", "-f", f.order(t, threeTiers), "--log-format", "json")
}

func TestResumeSaysMoreWhenAsked(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.reconciles(t, nil)
	text, code := f.run(t, "resume", "-v", "-f", f.order(t, threeTiers))
	for _, want := range []string{
		"connected to https://cluster.test (context fleet)",
		"DEBUG check controllers: source-controller v1.9.6, kustomize-controller v1.9.6",
		"Tiers:\n  cilium    1/1  Ready",
	} {
		if code != ExitOK || !strings.Contains(text, want) {
			t.Errorf("exit code %d, and %q is not there\n%s", code, want, text)
		}
	}
}

// The table is for a terminal; who asks for it elsewhere gets its last picture.
func TestResumeDrawsATableWhereItIsAskedTo(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	f.reconciles(t, nil)
	text, code := f.run(t, "resume", "-f", f.order(t, threeTiers), "-o", "table", "--color", "never")
	for _, want := range []string{"platform", "3 tiers, 3 Kustomizations Ready at main@sha1:0123456"} {
		if code != ExitOK || !strings.Contains(text, want) {
			t.Errorf("exit code %d, and %q is not there\n%s", code, want, text)
		}
	}
	if strings.Contains(text, "INFO") {
		t.Errorf("log lines between the lines of the table\n%s", text)
	}
}

// Each run is recorded, for its operator alone.
func TestResumeKeepsARecord(t *testing.T) {
	f := newFleet(t, chain()...)
	r := f.start(t, "resume", "-f", f.order(t, threeTiers), "-o", "jsonl")
	if code := r.end(t); code != ExitOK {
		t.Fatalf("exit code %d\n%s", code, r.errs)
	}
	for suffix, start := range map[string]string{".jsonl": `{"schema":"standup.event/v1","seq":1,`, ".result.json": "{\n  \"schema\": \"standup.result/v1\","} {
		found, err := filepath.Glob(filepath.Join(f.state, "standup", "runs", "*"+suffix))
		if err != nil || len(found) != 1 {
			t.Fatalf("records that end in %s: %v, %v", suffix, found, err)
		}
		data, err := os.ReadFile(found[0])
		if err != nil || !strings.HasPrefix(string(data), start) {
			t.Errorf("%s begins otherwise, %v:\n%.100s", suffix, err, data)
		}
		if suffix == ".jsonl" && string(data) != r.out.String() {
			t.Errorf("the record is not what was printed:\n%s", data)
		}
		if info, err := os.Stat(found[0]); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", suffix, info.Mode(), err)
		}
	}
}

// A record that cannot be written is no reason to fail.
func TestResumeWithoutAPlaceForRecords(t *testing.T) {
	f := newFleet(t, chain()...)
	order := f.order(t, threeTiers)
	f.state = "not/absolute"
	text, code := f.run(t, "resume", "-f", order)
	if code != ExitOK || !strings.Contains(text, "warning: record the run: neither XDG_STATE_HOME nor HOME is set") || strings.Contains(text, "Record:") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

func TestResumeWritesAReport(t *testing.T) {
	f := newFleet(t, chain()...)
	order := f.order(t, threeTiers)
	for _, kind := range reportKinds() {
		file := filepath.Join(f.dir, "run"+kind)
		if text, code := f.run(t, "resume", "-f", order, "--report", file); code != ExitOK {
			t.Fatalf("%s: exit code %d\n%s", kind, code, text)
		}
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), "platform") {
			t.Errorf("%s: %v\n%s", kind, err, data)
		}
	}
	text, code := f.run(t, "resume", "-f", order, "--report", filepath.Join(f.dir, "missing", "run.md"))
	if code != ExitOK || !strings.Contains(text, "warning: ") {
		t.Errorf("a report that cannot be written: exit code %d\n%s", code, text)
	}
}

// failures are what may become of platform, and the code that says so.
func failures() map[string]struct {
	end   func(*kustomizev1.Kustomization)
	code  int
	flags []string
} {
	return map[string]struct {
		end   func(*kustomizev1.Kustomization)
		code  int
		flags []string
	}{
		"bad-build":    {badBuild, ExitTierFailed, nil},
		"missing-kind": {missingKind, ExitVerdict, []string{"--patience", "0s"}},
		"no-values": {
			failed("BuildFailed", "var substitution failed for 'kustomization': substitute from 'Secret/cluster-secrets' error: secrets \"cluster-secrets\" not found"),
			ExitPrecondition,
			[]string{"--patience", "0s"},
		},
	}
}
