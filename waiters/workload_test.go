package waiters

import "testing"

func TestJudgeDeployment(t *testing.T) {
	deploy := `{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: apps, name: web, generation: 2}, spec: {replicas: 3, progressDeadlineSeconds: 600}, status: `
	progressing := `{type: Progressing, status: "True", reason: NewReplicaSetAvailable}`
	checkJudged(t, []judged{
		{
			"available", deploy + `{observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3, conditions: [{type: Available, status: "True"}, ` + progressing + `]}}`,
			Observation{State: Ready, Reason: "Available", Message: "3 of 3 available"},
		},
		{
			"one of three", deploy + `{observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 1, availableReplicas: 1, conditions: [{type: Available, status: "False"}]}}`,
			Observation{State: Progressing, Reason: "LessAvailable", Message: "1 of 3 available"},
		},
		{
			"pods cannot be made", deploy + `{observedGeneration: 2, conditions: [{type: ReplicaFailure, status: "True", reason: FailedCreate, message: exceeded quota}]}}`,
			Observation{State: Progressing, Reason: "LessReplicas", Message: "0 of 3 available: exceeded quota"},
		},
		{
			"not observed", deploy + `{observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3, conditions: [{type: Available, status: "True"}, ` + progressing + `]}}`,
			Observation{State: Progressing, Reason: "LatestGenerationNotObserved", Message: "3 of 3 available"},
		},
		{
			"past its deadline", deploy + `{observedGeneration: 2, replicas: 3, conditions: [{type: Progressing, status: "False", reason: ProgressDeadlineExceeded, message: x}]}}`,
			Observation{
				State: Stalled, Reason: "ProgressDeadlineExceeded", Message: "0 of 3 available: Progress deadline exceeded",
				Cause: Cause{Kind: HealthCheckFailed, Class: Terminal, Subject: "Deployment/apps/web"},
			},
		},
		{
			"scaled to nothing",
			`{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: apps, name: web, generation: 1}, spec: {replicas: 0}, status: {observedGeneration: 1, conditions: [{type: Available, status: "True"}]}}`,
			Observation{State: Ready, Reason: "Available", Message: "0 of 0 available"},
		},
		{
			"going", `{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: apps, name: web, deletionTimestamp: "2026-01-01T00:00:00Z"}}`,
			Observation{State: Progressing, Reason: "Deleting", Message: "being deleted"},
		},
	})
}

func TestJudgeSets(t *testing.T) {
	sts := `{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: apps, name: db, generation: 1}, spec: {replicas: 2}, status: `
	ds := `{apiVersion: apps/v1, kind: DaemonSet, metadata: {namespace: apps, name: agent, generation: 1}, status: `
	checkJudged(t, []judged{
		{
			"stateful, one of two", sts + `{observedGeneration: 1, replicas: 2, readyReplicas: 1, availableReplicas: 1}}`,
			Observation{State: Progressing, Reason: "LessReady", Message: "1 of 2 available"},
		},
		{
			"stateful, available", sts + `{observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2, currentReplicas: 2, updatedReplicas: 2, currentRevision: a, updateRevision: a}}`,
			Observation{State: Ready, Reason: "Available", Message: "2 of 2 available"},
		},
		{
			"daemon, not counted", ds + `{observedGeneration: 1}}`,
			Observation{State: Progressing, Reason: "NoDesiredNumber", Message: "not counted yet"},
		},
		{
			"daemon, two of three", ds + `{observedGeneration: 1, desiredNumberScheduled: 3, currentNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2, numberReady: 2}}`,
			Observation{State: Progressing, Reason: "LessAvailable", Message: "2 of 3 available"},
		},
		{
			"daemon, no nodes", ds + `{observedGeneration: 1, desiredNumberScheduled: 0}}`,
			Observation{State: Ready, Reason: "Available", Message: "0 of 0 available"},
		},
	})
}
