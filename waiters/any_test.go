package waiters

import (
	"testing"
	"time"
)

func TestJudgeAny(t *testing.T) {
	cr := `{apiVersion: example.io/v1, kind: Engine, metadata: {namespace: apps, name: e, generation: 2}, status: `
	checkJudged(t, []judged{
		{
			"a kind without conditions", `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: apps, name: c}}`,
			Observation{State: Ready, Reason: "Current", Message: "Resource is always ready"},
		},
		{
			"ready", cr + `{observedGeneration: 2, conditions: [{type: Ready, status: "True"}]}}`,
			Observation{State: Ready, Reason: "Current", Message: "Resource is Ready"},
		},
		{
			"not ready", cr + `{observedGeneration: 2, conditions: [{type: Ready, status: "False", reason: Pending, message: waiting for a disk}]}}`,
			Observation{State: Progressing, Reason: "Pending", Message: "waiting for a disk"},
		},
		{
			"not observed", cr + `{observedGeneration: 1, conditions: [{type: Ready, status: "True"}]}}`,
			Observation{State: Progressing, Reason: "LatestGenerationNotObserved", Message: "Engine generation is 2, but latest observed generation is 1"},
		},
		{
			"failed", cr + `{conditions: [{type: Stalled, status: "True", reason: Broken, message: no disk}]}}`,
			Observation{
				State: Stalled, Reason: "Broken", Message: "no disk",
				Cause: Cause{Kind: HealthCheckFailed, Class: Terminal, Subject: "Engine/apps/e"},
			},
		},
		{
			"going", `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: apps, name: c, deletionTimestamp: "2026-01-01T00:00:00Z"}}`,
			Observation{State: Progressing, Reason: "Deleting", Message: "being deleted"},
		},
		{
			"a generation of its own type", cr + `{observedGeneration: "two"}}`,
			Observation{State: Ready, Reason: "Unreadable", Message: "looking up status.observedGeneration from resource: .status.observedGeneration accessor error: two is of the type string, expected int64"},
		},
		{
			"claim", `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: apps, name: d}, status: {phase: Pending}}`,
			Observation{State: Progressing, Reason: "NotBound", Message: "PVC is not Bound. phase: Pending"},
		},
	})
}

func TestStatusGrace(t *testing.T) {
	born := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	bare := `{apiVersion: cdi.kubevirt.io/v1beta1, kind: CDI, metadata: {name: cdi, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z"}}`
	waiting := Observation{
		State: Progressing, Reason: "NoStatusYet", Message: "its controller has not written a status yet",
		Cause: Cause{Kind: NoStatusYet, Class: Passing, Subject: "CDI/cdi"},
	}
	current := Observation{State: Ready, Reason: "Current", Message: "Resource is current"}
	for _, tc := range []struct {
		name, manifest string
		hasStatus      bool
		age            time.Duration
		want           Observation
	}{
		{"at once", bare, true, 0, waiting},
		{"just before the end", bare, true, StatusGrace - time.Nanosecond, waiting},
		{"after the end", bare, true, StatusGrace, Observation{State: Ready, Reason: "NoStatus", Message: "nobody has written a status; taken as ready"}},
		{"a kind without a status", bare, false, 0, current},
		{
			"an empty status is none", `{apiVersion: cdi.kubevirt.io/v1beta1, kind: CDI, metadata: {name: cdi, creationTimestamp: "2026-01-01T00:00:00Z"}, status: {}}`,
			true, 0, waiting,
		},
		{
			"a status", `{apiVersion: cdi.kubevirt.io/v1beta1, kind: CDI, metadata: {name: cdi, creationTimestamp: "2026-01-01T00:00:00Z"}, status: {phase: Deployed}}`,
			true, 0, current,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			checkSeen(t, JudgeObject(object(t, tc.manifest), tc.hasStatus, born.Add(tc.age)), tc.want)
		})
	}
}
