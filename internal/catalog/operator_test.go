package catalog

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

func fieldsOfYAML(t *testing.T, text string) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestAnOperatorIsRecognisedByNameOrImage(t *testing.T) {
	t.Parallel()
	workload := func(name, image string) map[string]any {
		return fieldsOfYAML(t, "{kind: Deployment, metadata: {name: "+name+"}, spec: {template: {spec: {containers: [{image: '"+image+"'}]}}}}")
	}
	for name, c := range map[string]struct {
		workload map[string]any
		want     bool
	}{
		"its name":                         {workload("cdi-operator", "x"), true},
		"the release's name around it":     {workload("prod-cdi-operator-v2", "x"), true},
		"its image":                        {workload("manager", "quay.io/kubevirt/cdi-operator:v1.2"), true},
		"its image by digest":              {workload("manager", "quay.io/kubevirt/cdi-operator@sha256:00"), true},
		"its image with a registry's port": {workload("manager", "localhost:5000/cdi-operator"), true},
		"another image of the project":     {workload("manager", "quay.io/kubevirt/cdi-operator-ui:v1"), false},
		"another workload":                 {workload("cdi-apiserver", "quay.io/kubevirt/cdi-apiserver:v1"), false},
		"a workload without containers":    {fieldsOfYAML(t, "{kind: Deployment, metadata: {name: x}}"), false},
	} {
		if got := (Operator{Name: "cdi-operator"}).Runs(c.workload); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
