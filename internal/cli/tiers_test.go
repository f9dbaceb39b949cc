package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/tiers"
)

func TestTiersCheck(t *testing.T) {
	for _, tt := range []struct {
		name, order string
		code        int
	}{
		{"agrees", threeTiers, ExitOK},
		{"drift", "tiers:\n  - name: cilium\n  - name: platforms\n  - name: monitoring\n", ExitVerdict},
		{"wrong-way-round", "tiers:\n  - name: platform\n  - name: cilium\n  - name: apps\n", ExitVerdict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFleet(t, chain()...)
			order := f.order(t, tt.order)
			f.golden(t, "tiers-check-"+tt.name, tt.code, "tiers", "check", "-f", order)
			f.golden(t, "tiers-check-"+tt.name+".json", tt.code, "tiers", "check", "-f", order, "-o", "json")
			f.unchanged(t)
		})
	}
}

func TestTiersCheckFindsWhatGoesRound(t *testing.T) {
	f := newFleet(t, goingRound()...)
	f.golden(t, "tiers-check-cycle", ExitVerdict, "tiers", "check", "-f", f.order(t, "tiers:\n  - name: all\n    kustomizations: [cilium, apps]\n"))
}

func TestTiersCheckNeedsAFile(t *testing.T) {
	f := newFleet(t, chain()...)
	f.golden(t, "tiers-check-no-file", ExitUsage, "tiers", "check")
}

// The usual places are looked at when no file is named.
func TestTierOrderIsFoundInTheUsualPlaces(t *testing.T) {
	f := newFleet(t, chain()...)
	for _, place := range []string{"bootstrap", "."} {
		t.Run(place, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, place), 0o700); err != nil {
				t.Fatal(err)
			}
			text := "apiVersion: standup/v1\nkind: TierOrder\n" + threeTiers
			if err := os.WriteFile(filepath.Join(dir, place, "TIER_ORDER.yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			want := filepath.Join(place, "TIER_ORDER.yaml") + " agrees with the cluster"
			if text, code := f.run(t, "tiers", "check"); code != ExitOK || !strings.Contains(text, want) {
				t.Errorf("exit code %d\n%s", code, text)
			}
		})
	}
	t.Run("the environment", func(t *testing.T) {
		t.Setenv("STANDUP_TIER_ORDER", f.order(t, threeTiers))
		if text, code := f.run(t, "tiers", "check"); code != ExitOK {
			t.Errorf("exit code %d\n%s", code, text)
		}
	})
}

// What generate writes parses, and check has nothing against it.
func TestTiersGenerateWritesWhatCheckAccepts(t *testing.T) {
	f := newFleet(t, append(chain(), kustomization("monitoring", behind("cilium")), kustomization("1.0"))...)
	f.golden(t, "tiers-generate", ExitOK, "tiers", "generate")
	r := f.start(t, "tiers", "generate")
	if code := r.end(t); code != ExitOK {
		t.Fatalf("exit code %d\n%s", code, r.errs)
	}
	order, err := tiers.Parse("generated", []byte(r.out.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, r.out)
	}
	if len(order.Tiers) != 3 || order.Cluster != "fleet" {
		t.Errorf("%d tiers for %s\n%s", len(order.Tiers), order.Cluster, r.out)
	}
	path := filepath.Join(f.dir, "generated.yaml")
	if err := os.WriteFile(path, []byte(r.out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, code := f.run(t, "tiers", "check", "-f", path); code != ExitOK {
		t.Errorf("exit code %d\n%s", code, text)
	}
	f.unchanged(t)
}

func TestTiersGenerateOfAnEmptyClusterParses(t *testing.T) {
	r := newFleet(t).start(t, "tiers", "generate")
	if code := r.end(t); code != ExitOK {
		t.Fatalf("exit code %d\n%s", code, r.errs)
	}
	if _, err := tiers.Parse("generated", []byte(r.out.String())); err != nil {
		t.Errorf("%v\n%s", err, r.out)
	}
}

func TestTiersGenerateWritesYAMLOnly(t *testing.T) {
	newFleet(t).golden(t, "tiers-generate-json", ExitUsage, "tiers", "generate", "-o", "json")
}

// A name that a finding gives is one that TIER_ORDER knows.
func TestDriftOfTellsWhereInTheFile(t *testing.T) {
	d := tiers.Drift{
		Kind: tiers.DriftNotFound, Object: tiers.KustomizationRef("media", "plex"), Tier: "apps",
		File: "TIER_ORDER.yaml", Pos: tiers.Position{Line: 7, Column: 5}, Message: "it does not exist", Fix: "remove it",
	}
	want := driftLine{Kind: string(tiers.DriftNotFound), Object: "media/plex", Tier: "apps", Message: "TIER_ORDER.yaml:7:5: it does not exist", Fix: "remove it"}
	if got := driftOf(d); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A run's own checks and those of the command are the same ones.
func TestCheckNamesAreThoseOfTheReport(t *testing.T) {
	text, _ := newFleet(t, chain()...).run(t, "check")
	for _, name := range []string{bootstrap.CheckAccess, bootstrap.CheckControllers, bootstrap.CheckSource, "plan"} {
		if !strings.Contains(text, "ok      "+name) {
			t.Errorf("%s is not there\n%s", name, text)
		}
	}
}
