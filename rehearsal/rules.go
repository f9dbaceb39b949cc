package rehearsal

import "fmt"

// rule is what a class is, and what helps against it in general; a finding says
// what helps in its own case.
type rule struct{ what, help string }

// ruleOf gives the rule of a class, also of one that has no words here.
func ruleOf(c Class) sarifRule {
	r, ok := rules()[c]
	if !ok {
		r = rule{what: fmt.Sprintf("a fault of class %s", c), help: "Each finding says what helps."}
	}
	return sarifRule{ID: string(c), ShortDescription: sarifText{r.what}, Help: sarifText{r.help}}
}

func rules() map[Class]rule {
	return map[Class]rule{
		SameSet: {
			"a kind comes with an object of the same set",
			"Flux applies nothing of a set before everything in it passes its dry-run. Move what uses the kind to a Kustomization of its own that depends on this one.",
		},
		Ancestor: {
			"a kind comes from beneath a child that the set never creates",
			"Move what uses the kind down into a Kustomization that depends on the one that brings it.",
		},
		GateOrder: {
			"what would bring it waits for this one",
			"Turn the order round: let what needs it depend on what brings it. A parent that waits must not be waited for by its child.",
		},
		DepCycle:   {"dependsOn runs in a circle", "Remove one of the dependsOn of the circle."},
		DepMissing: {"dependsOn names what nothing creates", "Remove the name from dependsOn, or add the Kustomization to the tree."},
		NoCreator: {
			"nothing brings the kind",
			"Install what brings it in a Kustomization that this one depends on, or say that it is there before Flux: --seeded, or kinds of the baseline.",
		},
		InNamespace:  {"a Namespace is missing", "Add the Namespace to the set, or to one that this one depends on."},
		InAdmission:  {"the API server, or a webhook, refuses an object", "Bring what the object needs to be admitted in a Kustomization that this one depends on."},
		InBuild:      {"the set cannot be built", "Mend the build, or move what substituteFrom names to a Kustomization that this one depends on."},
		InSubstitute: {"a variable or its object is missing", "Define the variable, give it a default, or create the object before Flux starts."},
		InDecryption: {"ciphertext without its key", "Create the key's Secret before Flux starts, and name it under spec.decryption."},
		InRestore:    {"an object begins with data from outside", "Make sure that the backup or snapshot is there before Flux starts."},
		InSource:     {"the source cannot be seen, or is served from inside", "Map the source: --source KIND/NAMESPACE/NAME=DIR. Keep it outside of what it brings up."},
		IsSuspended:  {"suspended in git", "Resume it in git, or take it out of what depends on it."},
		WeakEdge: {
			"ordered, but Ready does not prove that the kind is there",
			"List the CustomResourceDefinition under healthChecks of a Kustomization without wait that holds it, or set a short retryInterval.",
		},
		NoEdge:       {"not ordered at all", "Add a dependsOn on the Kustomization that brings what this one needs."},
		DeadGate:     {"healthChecks that Flux ignores because of wait", "Remove wait, or the healthChecks."},
		TwoOwners:    {"one object in two sets", "Keep each object in one set."},
		NoRetries:    {"a HelmRelease gives up", "Set install.strategy.name to RetryOnFailure, or install.remediation.retries to -1."},
		InForm:       {"the API server refuses an object for its form", "Correct the object: its name, a field that its kind does not have, a value of the wrong type, or one that is required."},
		InExpression: {"a CEL expression does not compile, or is never true", "Correct the expression."},
		LateKind:     {"a kind comes after the operator that looks for it once", "Seed the kind before that operator starts, or restart the operator when the kind is there."},
		InMove:       {"an object that moves is deleted once", "Merge with prune: false on the old owner first."},
		InPrune:      {"an object that takes more with it is deleted", "Annotate it with kustomize.toolkit.fluxcd.io/prune: disabled first, if it has to stay."},
		InImmutable:  {"a field changes that must not", "Delete the object after the merge, when nothing uses it any more."},
	}
}
