package rehearsal

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/internal/manifests"
)

// fixed says which fields of a kind the API server does not let change: all of
// these, or all of spec but those (kubernetes, pkg/apis/*/validation).
type fixed struct {
	fields []string // dotted; from the top of the object
	but    []string // fields of spec that may change, where all others may not
}

func fixedFields(gk catalog.GroupKind) (fixed, bool) {
	f, ok := map[catalog.GroupKind]fixed{
		{Kind: "PersistentVolumeClaim"}:                                   {but: []string{"resources", "volumeAttributesClassName", "volumeName"}},
		{Kind: "PersistentVolume"}:                                        {fields: []string{"spec.csi", "spec.nfs", "spec.hostPath", "spec.local", "spec.iscsi", "spec.nodeAffinity", "spec.volumeMode"}},
		{Kind: "Pod"}:                                                     {but: []string{"activeDeadlineSeconds", "tolerations", "containers", "initContainers", "terminationGracePeriodSeconds", "schedulingGates"}},
		{Kind: "Service"}:                                                 {fields: []string{"spec.clusterIP", "spec.healthCheckNodePort"}},
		{Group: "batch", Kind: "Job"}:                                     {fields: []string{"spec.template", "spec.selector", "spec.completionMode", "spec.podFailurePolicy", "spec.backoffLimitPerIndex", "spec.managedBy"}},
		{Group: "apps", Kind: "StatefulSet"}:                              {but: []string{"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}},
		{Group: "apps", Kind: "Deployment"}:                               {fields: []string{"spec.selector"}},
		{Group: "apps", Kind: "DaemonSet"}:                                {fields: []string{"spec.selector"}},
		{Group: "apps", Kind: "ReplicaSet"}:                               {fields: []string{"spec.selector"}},
		{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:         {fields: []string{"roleRef"}},
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}:  {fields: []string{"roleRef"}},
		{Group: "storage.k8s.io", Kind: "StorageClass"}:                   {fields: []string{"provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"}},
		{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:               {fields: []string{"value", "preemptionPolicy"}},
		{Group: "networking.k8s.io", Kind: "IngressClass"}:                {fields: []string{"spec.controller"}},
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: {fields: []string{"spec.group", "spec.scope", "spec.names.plural", "spec.names.kind"}},
		{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"}:          {fields: []string{"driverName", "parameters"}},
		{Group: "snapshot.storage.k8s.io", Kind: "VolumeSnapshot"}:        {fields: []string{"spec.source"}},
	}[gk]
	return f, ok
}

// immutable judges the objects of a set that change a field which must not. The
// API server refuses the dry-run, and nothing of the set is applied.
func (c *change) immutable(n *node) {
	if n.blind != "" || n.fault != nil {
		return
	}
	for _, o := range n.objects() {
		before, ok := c.old.find(keyOf(o), n.ref)
		if !ok || o.LeftAlone() || annotated(o, "ssa", "IfNotPresent") {
			continue
		}
		field := changedFixed(before, o)
		if field == "" {
			continue
		}
		if n.spec.Spec.Force || annotated(o, "force", "Enabled") {
			c.tell(n, o, InImmutable, fmt.Sprintf("%s of %s changes, which is not possible: with force it is deleted and made anew%s", field, named(o), costOf(keyOf(o))),
				"Make sure that this is meant; where another object of the set fails its dry-run, it stays deleted.")
			continue
		}
		f := remark(n, o, Deadlock, InImmutable,
			fmt.Sprintf("on a cluster that has it, %s of %s cannot change: the API server refuses it, and nothing of the set is applied until it is deleted", field, named(o)),
			"Merge first, which stops this Kustomization and harms nothing; then stop what uses the object, save its data, delete it, and reconcile. The other way round the old revision makes it again.")
		c.r.Findings = append(c.r.Findings, f...)
		c.block(n)
	}
}

// block gives the verdict of an object that cannot be changed to its
// Kustomization and to those behind it, whose dependency never has the revision.
func (c *change) block(n *node) {
	if c.outcomes[n].verdict.rank() < Deadlock.rank() {
		c.outcomes[n].verdict, c.outcomes[n].class, c.outcomes[n].blocked = Deadlock, InImmutable, ""
	}
	for _, other := range c.s.w.order {
		if out := c.outcomes[other]; other != n && out.verdict.rank() < Deadlock.rank() && c.s.dependsOn(other, n) {
			out.verdict, out.class, out.blocked = Deadlock, InImmutable, n.ref.NamespacedName()
		}
	}
}

func annotated(o manifests.Object, key, value string) bool {
	const prefix = "kustomize.toolkit.fluxcd.io/"
	return strings.EqualFold(o.GetAnnotations()[prefix+key], value) || strings.EqualFold(o.GetLabels()[prefix+key], value)
}

// changedFixed names the first field that changes and must not; "" is none. A
// field that is not given keeps what it has.
func changedFixed(before, after manifests.Object) string {
	if flagAt(before.Unstructured, "immutable") {
		for _, field := range []string{"data", "binaryData", "stringData"} {
			if differs(before.Unstructured, after.Unstructured, field) {
				return field
			}
		}
	}
	f, ok := fixedFields(kindOf(after))
	if !ok {
		return ""
	}
	fields := f.fields
	if len(f.but) > 0 {
		for _, field := range sortedKeys(mapAt(after.Unstructured, "spec")) {
			if !slices.Contains(f.but, field) {
				fields = append(fields, "spec."+field)
			}
		}
	}
	for _, field := range fields {
		if differs(before.Unstructured, after.Unstructured, strings.Split(field, ".")...) {
			return field
		}
	}
	return ""
}

func differs(before, after *unstructured.Unstructured, fields ...string) bool {
	x, had, _ := unstructured.NestedFieldNoCopy(before.Object, fields...) // absent is nil
	y, has, _ := unstructured.NestedFieldNoCopy(after.Object, fields...)
	return has && (!had || !reflect.DeepEqual(x, y))
}
