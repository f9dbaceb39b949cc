package cli

import "testing"

func TestCheckOfAFitCluster(t *testing.T) {
	f := newFleet(t, chain(suspended)...)
	order := f.order(t, threeTiers)
	f.golden(t, "check", ExitOK, "check", "-f", order)
	f.golden(t, "check.json", ExitOK, "check", "-f", order, "-o", "json")
	f.unchanged(t)
}

// Each says what is missing, and stops there: what comes later would only be a
// consequence.
func TestCheckNamesWhatIsMissing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		order string
		spoil func(*testing.T, *fleet)
		code  int
	}{
		{"denied", threeTiers, func(_ *testing.T, f *fleet) { f.Deny("kustomizations", "leases") }, ExitUnreachable},
		{"no-controller", threeTiers, func(t *testing.T, f *fleet) {
			t.Helper()
			f.Forget(t, "apps/v1", "Deployment", namespace, "kustomize-controller")
		}, ExitPrecondition},
		{"scaled-to-zero", threeTiers, func(t *testing.T, f *fleet) { t.Helper(); f.Put(t, controller("source-controller", 0)) }, ExitPrecondition},
		{"not-available", threeTiers, func(t *testing.T, f *fleet) {
			t.Helper()
			d := controller("kustomize-controller", 1)
			d.Status.AvailableReplicas = 0
			f.Put(t, d)
		}, ExitPrecondition},
		{"no-source", "source: {kind: OCIRepository, name: fleet}\n" + threeTiers, nil, ExitPrecondition},
		{"contradiction", "tiers:\n  - name: apps\n  - name: platform\n  - name: cilium\n", nil, ExitVerdict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFleet(t, chain(suspended)...)
			if tt.spoil != nil {
				tt.spoil(t, f)
			}
			order := f.order(t, tt.order)
			f.golden(t, "check-"+tt.name, tt.code, "check", "-f", order)
			f.golden(t, "check-"+tt.name+".json", tt.code, "check", "-f", order, "-o", "json")
			f.unchanged(t)
		})
	}
}

func TestCheckOfAnEmptyCluster(t *testing.T) {
	newFleet(t).golden(t, "check-empty", ExitPrecondition, "check")
}

func TestCheckLooksInTheNamespaceThatIsNamed(t *testing.T) {
	f := newFleet(t, chain()...)
	f.golden(t, "check-namespace", ExitPrecondition, "check", "--namespace", "flux")
}
