package waiters

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// kinds are those that JudgeObject tells apart, and one that it does not.
func kinds() [][2]string {
	return [][2]string{
		{"kustomize.toolkit.fluxcd.io/v1", "Kustomization"},
		{"helm.toolkit.fluxcd.io/v2", "HelmRelease"},
		{"source.toolkit.fluxcd.io/v1", "GitRepository"},
		{"source.toolkit.fluxcd.io/v1", "ExternalArtifact"},
		{"apiextensions.k8s.io/v1", "CustomResourceDefinition"},
		{"apps/v1", "Deployment"},
		{"apps/v1", "StatefulSet"},
		{"apps/v1", "DaemonSet"},
		{"batch/v1", "Job"},
		{"example.io/v1", "Engine"},
	}
}

// FuzzJudgeObject gives every judgement spec and status of any shape: a
// custom resource's schema is its author's business.
func FuzzJudgeObject(f *testing.F) {
	f.Add(`{}`, `{}`, int64(1))
	f.Add(`{"suspend":true}`, `{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True"}]}`, int64(1))
	f.Add(`{"replicas":3}`, `{"conditions":[{"type":"Progressing","reason":"ProgressDeadlineExceeded"}]}`, int64(2))
	f.Add(`null`, `"up"`, int64(0))
	f.Add(`[]`, `{"conditions":{"Ready":"True"}}`, int64(-1))
	f.Add(`{"replicas":"3"}`, `{"conditions":["Ready",7,null]}`, int64(1))
	f.Add(`{"suspend":"yes"}`, `{"artifact":{"revision":7}}`, int64(1))
	f.Fuzz(func(t *testing.T, spec, status string, generation int64) {
		for _, kind := range kinds() {
			raw, err := json.Marshal(map[string]any{
				"apiVersion": kind[0], "kind": kind[1],
				"metadata": map[string]any{"namespace": "apps", "name": "x", "generation": generation},
				"spec":     anyJSON(spec), "status": anyJSON(status),
			})
			if err != nil {
				t.Skip()
			}
			u := &unstructured.Unstructured{}
			if u.UnmarshalJSON(raw) != nil {
				t.Skip()
			}
			seen := JudgeObject(u, true, time.Unix(0, 0))
			if seen.State <= Unknown || seen.State > Ready {
				t.Errorf("%s: %+v", kind[1], seen)
			}
			if utf8.RuneCountInString(seen.Message) > maxMessage {
				t.Errorf("%s: message of %d runes", kind[1], utf8.RuneCountInString(seen.Message))
			}
			if seen.State == Ready && seen.Cause.Kind != NoCause {
				t.Errorf("%s: ready because of %s", kind[1], seen.Cause.Kind)
			}
		}
	})
}

func anyJSON(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

// BenchmarkClassify is on the longest way: a message that no rule knows.
func BenchmarkClassify(b *testing.B) {
	for b.Loop() {
		Classify("ReconciliationFailed", "Widget/apps/w dry-run failed: the moon is in the wrong house and so are its seven brothers")
	}
}

// BenchmarkJudgeBlocked is what most Kustomizations of a cold cluster are.
func BenchmarkJudgeBlocked(b *testing.B) {
	k := newKS().failed("", "DependencyNotReady", "dependency 'flux-system/platform' is not ready", "").Kustomization
	for b.Loop() {
		JudgeKustomization(k, rev1)
	}
}
