package kube

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/standup-sh/standup/tiers"
)

// suspension is who suspended an object.
type suspension struct {
	kind tiers.Suspension
	by   string // field manager; empty when nobody claims it
}

// suspensionOf reads the managed fields of a suspended object. An applier owns what it sets
// and sets it again at its next pass, so a suspend that one owns is as good as
// declared in git. What was merely updated stays as it is until someone
// updates it again.
func suspensionOf(fields []metav1.ManagedFieldsEntry) suspension {
	found := suspension{kind: tiers.SuspendedLive}
	var newest *metav1.Time
	for _, entry := range fields {
		if !ownsSuspend(entry) {
			continue
		}
		if putsBack(entry) {
			return suspension{kind: tiers.SuspendedInGit, by: entry.Manager}
		}
		if newest == nil || newest.Before(entry.Time) {
			found.by, newest = entry.Manager, entry.Time
		}
	}
	return found
}

// putsBack reports whether a field manager would undo a change of a field
// that it owns. A person's server-side apply would not, until that person does
// it again; nor would flux, which is the command line, not a controller.
func putsBack(entry metav1.ManagedFieldsEntry) bool {
	return entry.Operation == metav1.ManagedFieldsOperationApply &&
		entry.Manager != FieldManager && entry.Manager != "flux" &&
		!strings.HasPrefix(entry.Manager, "kubectl")
}

func ownsSuspend(entry metav1.ManagedFieldsEntry) bool {
	if entry.Subresource != "" || entry.FieldsV1 == nil {
		return false
	}
	var owned struct {
		Spec map[string]json.RawMessage `json:"f:spec"`
	}
	if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned) != nil {
		return false // not a field set that we can read: it claims nothing
	}
	_, owns := owned.Spec["f:suspend"]
	return owns
}
