package manifests_test

import (
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/standup-sh/standup/internal/manifests"
)

// secretSet builds a tree with variables that come from a Secret and from a
// ConfigMap.
func secretSet(t *testing.T, archive string, secret map[string]string) *manifests.Set {
	t.Helper()
	values := &fakeValues{
		secrets:    map[string]map[string][]byte{"flux-system/keys": {}},
		configMaps: map[string]map[string]string{"flux-system/vars": {"open": "public-value"}},
	}
	for name, value := range secret {
		values.secrets["flux-system/keys"][name] = []byte(value)
	}
	ks := kustomization(t, "path: .\npostBuild:\n  substitute: {inline: inline-value}\n"+
		"  substituteFrom: [{kind: Secret, name: keys}, {kind: ConfigMap, name: vars}]")
	set, err := open(t, tree(t, archive)).Build(t.Context(), ks, values, manifests.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		secret     map[string]string
		tree, want string
	}{
		"data of a Secret": {
			nil, "-- a.yaml --\napiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  annotations:\n" +
				"    kubectl.kubernetes.io/last-applied-configuration: '{\"data\":{}}'\nstringData: {a: b}\ndata: {c: ZA==}\n",
			"apiVersion: v1\ndata:\n  a: '**redacted**'\n  c: '**redacted**'\nkind: Secret\nmetadata:\n  annotations:\n" +
				"    kubectl.kubernetes.io/last-applied-configuration: '**redacted**'\n  creationTimestamp: null\n  name: a\n",
		},
		"whole values, and values around them": {
			map[string]string{"pw": "hunter22"},
			"-- a.yaml --\napiVersion: x/v1\nkind: A\nmetadata:\n  name: a\nspec: {a: '${pw}', b: ['url://u:${pw}@h', '${open}'], c: '${inline}', d: other}\n",
			"apiVersion: x/v1\nkind: A\nmetadata:\n  creationTimestamp: null\n  name: a\nspec:\n  a: '**redacted**'\n  b:\n  - '**redacted**'\n" +
				"  - public-value\n  c: inline-value\n  d: other\n",
		},
		"what was made of them": {
			map[string]string{"pw": "hunter22", "port": "1", "on": "true"},
			"-- a.yaml --\napiVersion: x/v1\nkind: A\nmetadata:\n  name: a\nspec:\n  upper: ${pw^^}\n  part: ${pw:0:2}\n  number: ${port}\n  bool: ${on}\n" +
				"  other: 1\n  flag: true\n  text: 1 of 2\n",
			"apiVersion: x/v1\nkind: A\nmetadata:\n  creationTimestamp: null\n  name: a\nspec:\n  bool: '**redacted**'\n  flag: true\n" +
				"  number: '**redacted**'\n  other: 1\n  part: '**redacted**'\n  text: 1 of 2\n  upper: '**redacted**'\n",
		},
		"keys": {
			map[string]string{"pw": "hunter22"},
			"-- a.yaml --\napiVersion: x/v1\nkind: A\nmetadata:\n  name: a\nspec: {a: {'${pw}': 1}, b: 2}\n",
			"apiVersion: x/v1\nkind: A\nmetadata:\n  creationTimestamp: null\n  name: a\nspec:\n  a: '**redacted**'\n  b: 2\n",
		},
		"names, if they come from it, and not if they only look so": {
			map[string]string{"pw": "name"},
			"-- a.yaml --\napiVersion: name/v1\nkind: A\nmetadata:\n  name: a-name\n  namespace: x${pw}\nspec: {name: my-name}\n",
			"apiVersion: name/v1\nkind: A\nmetadata:\n  creationTimestamp: null\n  name: a-name\n  namespace: '**redacted**'\nspec:\n  name: '**redacted**'\n",
		},
		"the shape of the object": {
			map[string]string{"pw": "key"},
			"-- a.yaml --\napiVersion: x/v1\nkind: A\nmetadata:\n  name: a\n${pw}: b\n",
			"apiVersion: x/v1\nkind: A\nmetadata:\n  name: a\n",
		},
		"a mapping": {
			map[string]string{"pw": "{b: c}"},
			"-- a.yaml --\napiVersion: x/v1\nkind: A\nmetadata:\n  name: a\ndata: ${pw}\n",
			"apiVersion: x/v1\ndata: '**redacted**'\nkind: A\nmetadata:\n  creationTimestamp: null\n  name: a\n",
		},
		"ciphertext": {
			nil, "-- a.yaml --\napiVersion: x/v1\nkind: A\nmetadata:\n  name: a\nspec: {a: 'ENC[AES256_GCM,data:x]', b: c}\nsops: {mac: x}\n",
			"apiVersion: x/v1\nkind: A\nmetadata:\n  name: a\nsops: '**redacted**'\nspec:\n  a: '**redacted**'\n  b: c\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := secretSet(t, tc.tree, tc.secret)
			before := render(set, nil)
			got, err := yaml.Marshal(set.Redact(set.Objects[0].Unstructured).Object)
			if err != nil {
				t.Fatal(err)
			}
			diff(t, tc.want, string(got))
			diff(t, before, render(set, nil)) // a copy was changed
		})
	}
}

// What the API server returns has more fields than what was sent.
func TestRedactWhatTheServerMade(t *testing.T) {
	t.Parallel()
	set := secretSet(t, "-- a.yaml --\napiVersion: x/v1\nkind: A\nmetadata:\n  name: a\nspec: {pin: '${pin}', list: ['${pin}']}\n",
		map[string]string{"pin": "12", "token": "abcd-efgh"})
	live := set.Objects[0].DeepCopy()
	live.Object["spec"] = map[string]any{"pin": int64(12), "defaulted": "12 hours"}
	live.Object["status"] = map[string]any{"seen": "token=abcd-efgh", "pin": "12"}
	got := set.Redact(live)
	diff(t, map[string]any{"pin": "**redacted**", "defaulted": "12 hours"}, got.Object["spec"])
	diff(t, map[string]any{"seen": "**redacted**", "pin": "**redacted**"}, got.Object["status"])
	if set.Redact(nil) != nil {
		t.Error("nothing is nothing")
	}
}

func TestRedactText(t *testing.T) {
	t.Parallel()
	set := secretSet(t, "-- a.yaml --\n"+configMap, map[string]string{"a": "hunter", "b": "hunter22", "c": "7", "d": "", "e": " spaced out "})
	for text, want := range map[string]string{
		"hunter22":                "**redacted**",
		"bad value \"hunter22\"!": "bad value \"**redacted**\"!",
		"hunter hunter22":         "**redacted** **redacted**",
		"7":                       "**redacted**",
		"7 of 8":                  "7 of 8",
		"spaced out":              "**redacted**",
		"":                        "",
	} {
		diff(t, want, set.RedactText(text))
	}
}

// Libraries quote what they cannot parse; a Secret's value is not to be seen.
func TestErrorsDoNotQuoteSecrets(t *testing.T) {
	t.Parallel()
	values := &fakeValues{secrets: map[string]map[string][]byte{"flux-system/keys": {"pw": []byte(`*hunter22`)}}}
	ks := kustomization(t, "path: .\npostBuild: {substituteFrom: [{kind: Secret, name: keys}]}")
	_, err := open(t, tree(t, "-- a.yaml --\n"+configMap+"data:\n  a: ${pw}\n")).Build(t.Context(), ks, values, manifests.Options{})
	if _, ok := errors.AsType[*manifests.BuildError](err); !ok || strings.Contains(err.Error(), "hunter22") {
		t.Errorf("got %v", err)
	}
	_, err = open(t, tree(t, "-- a.yaml --\n"+configMap+"data:\n  a: ${pw} ${}\n")).Build(t.Context(), ks, values, manifests.Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "unable to parse variable name") {
		t.Errorf("got %v", err)
	}
}
