package waiters

import (
	"context"
	"time"
)

// NewWorkloadAvailable returns a probe that judges one Deployment,
// StatefulSet, DaemonSet or Job, or any object that kstatus can judge.
func NewWorkloadAvailable(name string, look Looker, target Target) Probe {
	return &workloadProbe{name: name, look: look, target: target}
}

type workloadProbe struct {
	name   string
	look   Looker
	target Target
}

// Name implements Probe.
func (p *workloadProbe) Name() string { return p.name }

// Observe implements Probe.
func (p *workloadProbe) Observe(ctx context.Context) (Observation, error) {
	u, err := p.target.get(ctx, p.look)
	if err != nil {
		return Observation{}, err
	}
	return JudgeObject(u, false, time.Now()), nil
}
