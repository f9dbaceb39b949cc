package bootstrap

import (
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

func TestInventoryIDs(t *testing.T) {
	gvk := func(group, kind string) schema.GroupVersionKind {
		return schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind}
	}
	for id, want := range map[string]struct {
		item waiters.Target
		ok   bool
		text string
	}{
		"apps_web_apps_Deployment": {waiters.Target{GVK: gvk("apps", "Deployment"), Namespace: "apps", Name: "web"}, true, "Deployment/apps/web"},
		"_media__Namespace":        {waiters.Target{GVK: gvk("", "Namespace"), Namespace: "", Name: "media"}, true, "Namespace/media"},
		"apps_web__Service":        {waiters.Target{GVK: gvk("", "Service"), Namespace: "apps", Name: "web"}, true, "Service/apps/web"},
		"_widgets.example.org_apiextensions.k8s.io_CustomResourceDefinition": {waiters.Target{GVK: gvk("apiextensions.k8s.io", "CustomResourceDefinition"), Namespace: "", Name: "widgets.example.org"}, true, "CustomResourceDefinition/widgets.example.org"},
		"_system__controller__web_rbac.authorization.k8s.io_ClusterRole":     {waiters.Target{GVK: gvk("rbac.authorization.k8s.io", "ClusterRole"), Namespace: "", Name: "system:controller:web"}, true, "ClusterRole/system:controller:web"},
		"apps_a__b_rbac.authorization.k8s.io_RoleBinding":                    {waiters.Target{GVK: gvk("rbac.authorization.k8s.io", "RoleBinding"), Namespace: "apps", Name: "a:b"}, true, "RoleBinding/apps/a:b"},
		"nonsense": {},
		"":         {},
		"a_b_c":    {},
	} {
		got, ok := parseItem(id, "v1")
		if ok != want.ok || got != want.item {
			t.Errorf("%q: got %+v, %v; want %+v, %v", id, got, ok, want.item, want.ok)
		}
		if ok && got.String() != want.text {
			t.Errorf("%q reads %s, want %s", id, got, want.text)
		}
	}
}

func TestWhatIsNeverLookedAt(t *testing.T) {
	for id, looked := range map[string]bool{
		"apps_web_apps_Deployment":                                       true,
		"apps_web__Service":                                              true,
		"apps_data__PersistentVolumeClaim":                               true,
		"apps_job_batch_Job":                                             true,
		"apps_w_example.org_Widget":                                      true,
		"apps_r_helm.toolkit.fluxcd.io_HelmRelease":                      true,
		"apps_h_source.toolkit.fluxcd.io_HelmRepository":                 true,
		"_w.example.org_apiextensions.k8s.io_CustomResourceDefinition":   true,
		"apps_s__Secret":                                                 false,
		"apps_c__ConfigMap":                                              false,
		"apps_a__ServiceAccount":                                         false,
		"_apps__Namespace":                                               false,
		"apps_k_kustomize.toolkit.fluxcd.io_Kustomization":               false,
		"apps_g_source.toolkit.fluxcd.io_GitRepository":                  false,
		"apps_o_source.toolkit.fluxcd.io_OCIRepository":                  false,
		"_r_rbac.authorization.k8s.io_ClusterRole":                       false,
		"_v_admissionregistration.k8s.io_ValidatingWebhookConfiguration": false,
		"_s_storage.k8s.io_StorageClass":                                 false,
		"_p_scheduling.k8s.io_PriorityClass":                             false,
		"unreadable":                                                     false,
	} {
		k := &kustomizev1.Kustomization{}
		k.Status.Inventory = &kustomizev1.ResourceInventory{Entries: []kustomizev1.ResourceRef{{ID: id, Version: "v1"}}}
		if got := len(itemsOf(k)) == 1; got != looked {
			t.Errorf("%s is looked at: %v, want %v", id, got, looked)
		}
	}
}

func TestARepetitionIsAStepOfItsOwnWithACountedName(t *testing.T) {
	s := &step{Step: tiers.Step{ID: "ready:Kustomization/a/b", Cause: "first"}, base: "ready:Kustomization/a/b"}
	for _, want := range []tiers.StepID{"ready:Kustomization/a/b#2", "ready:Kustomization/a/b#3", "ready:Kustomization/a/b#4"} {
		s.Step = repetition(s, "once more")
		if s.ID != want || s.Cause != "once more" || baseOf(s.ID) != s.base {
			t.Errorf("got %s of %s because %q, want %s", s.ID, baseOf(s.ID), s.Cause, want)
		}
	}
	if n := repeats(s.ID); n != 4 {
		t.Errorf("%s is number %d", s.ID, n)
	}
}
