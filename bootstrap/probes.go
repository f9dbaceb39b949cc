package bootstrap

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// ProbesOf makes the probes of a TIER_ORDER file ready to run. It reports the
// first that cannot work, such as an expression that does not compile, before
// anything is changed. A nil order has none.
func ProbesOf(order *tiers.TierOrder, look Looker, dry waiters.DryRunner) (Probes, error) {
	type key struct{ tier, name string }
	type entry struct {
		probe   waiters.Probe
		timeout time.Duration
	}
	made := map[key]entry{}
	if order != nil {
		for _, t := range order.Tiers {
			for i := range t.Probes {
				p, err := probeOf(&t.Probes[i], look, dry)
				if err != nil {
					return nil, &tiers.FileError{
						File: order.File, Line: t.Probes[i].Pos.Line, Column: t.Probes[i].Pos.Column,
						Message: err.Error(), Hint: "correct the probe",
					}
				}
				made[key{t.Name, t.Probes[i].Name}] = entry{p, t.Probes[i].Timeout}
			}
		}
	}
	return func(tier, name string) (waiters.Probe, time.Duration) {
		e := made[key{tier, name}]
		return e.probe, e.timeout
	}, nil
}

func probeOf(p *tiers.ProbeSpec, look Looker, dry waiters.DryRunner) (waiters.Probe, error) {
	switch {
	case p.Object != nil:
		return objectProbe(p, look)
	case p.KindServed != nil:
		gvk := schema.FromAPIVersionAndKind(p.KindServed.APIVersion, p.KindServed.Kind)
		if p.KindServed.Group != "" {
			gvk = schema.GroupVersionKind{Group: p.KindServed.Group, Kind: p.KindServed.Kind}
		}
		return waiters.NewKindServed(p.Name, look, gvk), nil
	case p.Workload != nil:
		gvk := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: p.Workload.Kind}
		return waiters.NewWorkloadAvailable(p.Name, look, waiters.Target{GVK: gvk, Namespace: p.Workload.Namespace, Name: p.Workload.Name}), nil
	case p.Webhook != nil:
		return waiters.NewWebhookAnswers(p.Name, dry, &unstructured.Unstructured{Object: p.Webhook.Object}), nil
	case p.TCP != "":
		return waiters.NewTCP(p.Name, p.TCP)
	case p.HTTP != nil:
		return waiters.NewHTTP(p.Name, p.HTTP.URL, p.HTTP.Status)
	}
	return nil, fmt.Errorf("probe %s probes nothing", p.Name)
}

// objectProbe judges by CEL where the file gives an expression, else by kstatus.
func objectProbe(p *tiers.ProbeSpec, look Looker) (waiters.Probe, error) {
	gvk := schema.FromAPIVersionAndKind(p.Object.APIVersion, p.Object.Kind)
	target := waiters.Target{GVK: gvk, Namespace: p.Object.Namespace, Name: p.Object.Name}
	if strings.TrimSpace(p.Current) == "" {
		return &inventory{name: p.Name, look: look, items: []waiters.Target{{GVK: gvk, Namespace: target.Namespace, Name: target.Name}}}, nil
	}
	return waiters.NewCEL(p.Name, look, target, waiters.Expressions{Current: p.Current, InProgress: p.InProgress, Failed: p.Failed})
}
