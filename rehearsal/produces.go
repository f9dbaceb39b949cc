package rehearsal

import (
	"cmp"
	"strings"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// produced lists the Secrets and ConfigMaps that a controller makes of an
// object. Only conventions that the kinds' own APIs document are here; another
// one is another case.
func produced(o manifests.Object) []objectKey {
	secret := func(names ...string) []objectKey {
		var keys []objectKey
		for _, name := range names {
			if name != "" {
				keys = append(keys, objectKey{kind: "Secret", namespace: o.GetNamespace(), name: name})
			}
		}
		return keys
	}
	u := o.Unstructured
	switch kindOf(o) {
	case catalog.GroupKind{Group: "objectbucket.io", Kind: "ObjectBucketClaim"}:
		return append(secret(o.GetName()), objectKey{kind: "ConfigMap", namespace: o.GetNamespace(), name: o.GetName()})
	case catalog.GroupKind{Group: "rabbitmq.com", Kind: "RabbitmqCluster"}:
		return secret(o.GetName() + "-default-user")
	case catalog.GroupKind{Group: "kafka.strimzi.io", Kind: "KafkaUser"}:
		return secret(o.GetName())
	case catalog.GroupKind{Group: "external-secrets.io", Kind: "ExternalSecret"}:
		return secret(cmp.Or(text(u, "spec", "target", "name"), o.GetName()))
	case catalog.GroupKind{Group: "bitnami.com", Kind: "SealedSecret"}:
		return secret(cmp.Or(text(u, "spec", "template", "metadata", "name"), o.GetName()))
	case catalog.GroupKind{Group: "cert-manager.io", Kind: "Certificate"}:
		return secret(text(u, "spec", "secretName"))
	case catalog.GroupKind{Group: "postgresql.cnpg.io", Kind: "Cluster"}:
		return secret(o.GetName()+"-app", o.GetName()+"-superuser", o.GetName()+"-ca")
	case catalog.GroupKind{Group: "onepassword.com", Kind: "OnePasswordItem"}:
		return secret(o.GetName())
	case catalog.GroupKind{Group: "secrets.hashicorp.com", Kind: "VaultStaticSecret"},
		catalog.GroupKind{Group: "secrets.hashicorp.com", Kind: "VaultDynamicSecret"}:
		return secret(text(u, "spec", "destination", "name"))
	}
	return nil
}

// podNeeds lists the Secrets and ConfigMaps without which the pods of a workload
// do not start.
func podNeeds(o manifests.Object) []objectKey {
	spec := mapAt(o.Unstructured, "spec", "template", "spec")
	if kindOf(o) == (catalog.GroupKind{Kind: "Pod"}) {
		spec = mapAt(o.Unstructured, "spec")
	}
	namespace := o.GetNamespace()
	if o.IsHelmRelease() {
		// What a chart does with its values is not known, but these names are
		// used alike by all.
		spec = mapAt(o.Unstructured, "spec", "values")
		namespace = cmp.Or(text(o.Unstructured, "spec", "targetNamespace"), namespace)
	}
	c := collector{namespace: namespace, seen: map[objectKey]bool{}}
	c.walk(spec)
	return c.keys
}

// collector finds references to Secrets and ConfigMaps in a pod's spec.
type collector struct {
	namespace string
	seen      map[objectKey]bool
	keys      []objectKey
}

func (c *collector) walk(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, r := range []struct{ field, name, kind string }{
			{"secretRef", "name", "Secret"},
			{"secretKeyRef", "name", "Secret"},
			{"secret", "secretName", "Secret"},
			{"configMapRef", "name", "ConfigMap"},
			{"configMapKeyRef", "name", "ConfigMap"},
			{"configMap", "name", "ConfigMap"},
		} {
			c.reference(v, r.field, r.name, r.kind)
		}
		for _, key := range sortedKeys(v) {
			if name, ok := v[key].(string); ok && strings.HasPrefix(key, "existingSecret") && !strings.HasSuffix(key, "Key") {
				c.add("Secret", name)
			}
			c.walk(v[key])
		}
	case []any:
		for _, item := range v {
			c.walk(item)
		}
	}
}

func (c *collector) reference(v map[string]any, field, nameField, kind string) {
	ref, ok := v[field].(map[string]any)
	if !ok {
		return
	}
	name, _ := ref[nameField].(string)
	optional, _ := ref["optional"].(bool)
	if !optional {
		c.add(kind, name)
	}
}

func (c *collector) add(kind, name string) {
	key := objectKey{kind: kind, namespace: c.namespace, name: name}
	if name != "" && !c.seen[key] {
		c.seen[key] = true
		c.keys = append(c.keys, key)
	}
}
