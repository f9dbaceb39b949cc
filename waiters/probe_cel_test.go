package waiters

import (
	"context"
	"errors"
	"strings"
	"testing"
)

const foldedIn = "status.claimPropertySets.exists(s, 'ReadWriteMany' in s.accessModes)"

func TestCEL(t *testing.T) {
	head := `{apiVersion: cdi.kubevirt.io/v1beta1, kind: StorageProfile, metadata: {name: longhorn-vm, generation: 2}, spec: {}`
	for _, tc := range []struct {
		name, manifest string
		exprs          Expressions
		want           Observation
	}{
		{
			"current", head + `, status: {claimPropertySets: [{accessModes: [ReadWriteOnce]}, {accessModes: [ReadWriteMany]}]}}`,
			Expressions{Current: foldedIn},
			Observation{State: Ready, Reason: "Current", Message: "current is true"},
		},
		{
			"not yet", head + `, status: {claimPropertySets: [{accessModes: [ReadWriteOnce]}]}}`,
			Expressions{Current: foldedIn},
			Observation{State: Progressing, Reason: "InProgress", Message: "not yet true: " + foldedIn},
		},
		{
			"a field that is not there yet", head + `, status: {provisioner: x}}`,
			Expressions{Current: foldedIn},
			Observation{State: Progressing, Reason: "NoSuchField", Message: "failed to evaluate the CEL expression '" + foldedIn + "': no such key: claimPropertySets"},
		},
		{
			"no status at all", head + `}`,
			Expressions{Current: "status.phase == 'Ready'"},
			Observation{State: Progressing, Reason: "NoSuchField", Message: "failed to evaluate the CEL expression 'status.phase == 'Ready'': no such attribute(s): status.phase"},
		},
		{
			"a field that has not its type yet", head + `, status: {count: null}}`,
			Expressions{Current: "status.count > 0"},
			Observation{State: Progressing, Reason: "NotEvaluable", Message: "failed to evaluate the CEL expression 'status.count > 0': no such overload: _>_"},
		},
		{
			"failed", head + `, status: {phase: Error}}`,
			Expressions{Current: "true", Failed: "status.phase == 'Error'"},
			Observation{
				State: Stalled, Reason: "Failed", Message: "failed is true: status.phase == 'Error'",
				Cause: Cause{Kind: HealthCheckFailed, Class: Terminal, Subject: "StorageProfile/longhorn-vm"},
			},
		},
		{
			"in progress comes before failed", head + `, status: {phase: Error}}`,
			Expressions{Current: "true", Failed: "status.phase == 'Error'", InProgress: "true"},
			Observation{State: Progressing, Reason: "InProgress", Message: "not yet true: true"},
		},
		{
			"freshness comes before everything", head + `, status: {observedGeneration: 1, phase: Error}}`,
			Expressions{Current: "true", Failed: "status.phase == 'Error'"},
			Observation{State: Progressing, Reason: "InProgress", Message: "not yet true: true"},
		},
		{
			"names and types", head + `}`,
			Expressions{Current: "kind == 'StorageProfile' && apiVersion.startsWith('cdi') && metadata.generation == 2"},
			Observation{State: Ready, Reason: "Current", Message: "current is true"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := NewCEL("folded-in", cluster{object: object(t, tc.manifest)}, profile, tc.exprs)
			if err != nil {
				t.Fatal(err)
			}
			checkLook(t, p, tc.want)
		})
	}
}

func TestCELLooks(t *testing.T) {
	probe := func(c cluster) Probe {
		p, err := NewCEL("folded-in", c, profile, Expressions{Current: foldedIn})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if name := probe(cluster{}).Name(); name != "folded-in" {
		t.Errorf("name is %q", name)
	}
	checkLook(t, probe(cluster{}), notHere)
	checkLookFails(t, probe(cluster{err: errDown}), errDown)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := probe(cluster{object: object(t, `{apiVersion: v1, kind: X, metadata: {name: x}}`)})
	if seen, err := p.Observe(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", seen, err)
	}
}

func TestCELDoesNotCompile(t *testing.T) {
	for _, tc := range []struct {
		name  string
		exprs Expressions
		want  string
	}{
		{"nothing", Expressions{}, "probe p: current is not set"},
		{"syntax", Expressions{Current: "status."}, "probe p: current: failed to parse the CEL expression 'status.'"},
		{"unknown name", Expressions{Current: "statuss.ready"}, "undeclared reference to 'statuss'"},
		{"unknown function", Expressions{Current: "true", Failed: "frobnicate(status)"}, "probe p: failed: "},
		{"types that cannot fit", Expressions{Current: "true", InProgress: "kind + 1"}, "probe p: inProgress: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := NewCEL("p", cluster{}, profile, tc.exprs)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
