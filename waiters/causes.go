package waiters

import "strings"

// CauseInfo documents one kind of cause.
type CauseInfo struct {
	Kind CauseKind
	// Class is the usual one; single messages of the kind can have another.
	Class Class
	// Meaning is one sentence on what the kind stands for.
	Meaning string

	remedy  string // "{}" stands for the subject
	subject string // what "{}" becomes when the subject is unknown
}

// Causes lists every kind of cause once, in the order of the documentation.
func Causes() []CauseInfo {
	return []CauseInfo{
		{MissingKind, NeedsAction, "The API server does not serve the kind of an object in the set.", "Install what brings {} before this set is applied.", "the kind"},
		{MissingNamespace, NeedsAction, "The namespace of an object does not exist.", "Create {}, or let a set that is applied earlier bring it.", "the namespace"},
		{WebhookUnavailable, Passing, "An admission or conversion webhook does not answer.", "Wait for the workload behind {}; if it never starts, look at its pods and its Service.", "the webhook"},
		{AdmissionDenied, NeedsAction, "A webhook, a policy or a quota refuses an object.", "Change the object, or what {} allows.", "the policy"},
		{DependencyNotReady, Passing, "What spec.dependsOn names is not ready yet.", "Look at {}: it comes first.", "the dependency"},
		{DependencyNotFound, NeedsAction, "What spec.dependsOn names does not exist.", "Create {}, or correct spec.dependsOn.", "the dependency"},
		{DependencyCycle, Terminal, "The spec.dependsOn of several objects go round.", "Break the cycle of {}.", "dependsOn"},
		{DependencySuspended, NeedsAction, "What spec.dependsOn names is suspended on purpose.", "Resume {} where it is suspended.", "the dependency"},
		{SourceMissing, NeedsAction, "The source object does not exist.", "Create {}, or correct the reference to it.", "the source"},
		{SourceNoArtifact, Passing, "The source has fetched nothing yet, or its storage is still empty.", "Wait for {} to be fetched; if it never is, look at its own conditions.", "the source"},
		{SourceUnauthorised, NeedsAction, "The credentials of a source are missing or refused.", "Give {} valid credentials.", "the source"},
		{SourceUnreachable, Passing, "The host of a source does not answer.", "Check DNS, network and proxy from the cluster to {}.", "the host"},
		{SourceRefMissing, NeedsAction, "The repository, branch, tag, image or chart that a source names is not there.", "Push {}, or correct the source.", "what the source names"},
		{SourceUnverified, NeedsAction, "The signature of what was fetched does not verify.", "Sign {} with a trusted key, or correct spec.verify.", "the revision"},
		{PathMissing, Terminal, "The artifact has no directory spec.path.", "Commit {}, or correct spec.path.", "the path"},
		{BuildFailed, Terminal, "Kustomize, or Helm, cannot build the manifests.", "Correct {} in git; `flux build kustomization` shows the same error.", "the manifests"},
		{UndefinedVariable, NeedsAction, "A manifest uses a variable that nothing defines.", "Define {} in postBuild.substitute or a substituteFrom object, or give it a default.", "the variable"},
		{SubstituteMissing, NeedsAction, "An object that values are read from does not exist.", "Create {}, or mark the reference optional.", "the object"},
		{DecryptionFailed, Terminal, "An encrypted file or Secret cannot be decrypted.", "Encrypt {} for the cluster's key, and set spec.decryption.", "the file"},
		{InvalidObject, Terminal, "The API server refuses an object as invalid.", "Correct {} in git.", "the object"},
		{ImmutableField, Terminal, "An update changes a field that cannot change.", "Recreate {}, or annotate it with kustomize.toolkit.fluxcd.io/force: Enabled.", "the object"},
		{HealthCheckTimeout, Passing, "Applied objects did not become healthy in time.", "Look at {}: it was applied and is not healthy.", "the objects of the set"},
		{HealthCheckFailed, Terminal, "An applied object failed for good.", "Look at {}: waiting longer does not heal it.", "the objects of the set"},
		{HelmRetriesExhausted, Terminal, "A HelmRelease used up its retries and stopped.", "Correct the cause, then reset {}: flux reconcile helmrelease --reset.", "the HelmRelease"},
		{Conflict, Passing, "Two writers changed the same object.", "Wait for the next try; if it comes back, find the other writer of {}.", "the object"},
		{APIUnavailable, Passing, "The API server, or an aggregated one, does not answer in time.", "Wait for {} to answer.", "the API server"},
		{Unauthorised, NeedsAction, "The controller, or the account it impersonates, is not allowed to do it.", "Grant {} the permission.", "the controller"},
		{PruneFailed, Passing, "Deleting what left the set failed.", "Delete {} by hand if it stays.", "the object"},
		{NoStatusYet, Passing, "A custom resource that normally has a status has none yet.", "Check that the operator of {} runs.", "the object"},
		{InvalidSpec, Terminal, "The Flux object itself is wrong, or the controller's flags forbid what it asks for.", "Correct the spec of {}.", "the object"},
		{NotApplied, NeedsAction, "The object does not exist, and nothing is about to apply it.", "Create {}, or resume what applies it.", "the object"},
		{Unclassified, Passing, "None of the above.", "Read the message; if standup should know it, please report it.", ""},
	}
}

// infoOf returns the zero CauseInfo for a kind that there is not.
func infoOf(kind CauseKind) CauseInfo {
	for _, info := range Causes() {
		if info.Kind == kind {
			return info
		}
	}
	return CauseInfo{}
}

func (i CauseInfo) remedyFor(subject string) string {
	if subject == "" {
		subject = i.subject
	}
	return strings.ReplaceAll(i.remedy, "{}", subject)
}

// newCause returns a cause of the kind's usual class.
func newCause(kind CauseKind, subject string) Cause {
	info := infoOf(kind)
	return Cause{Kind: kind, Class: info.Class, Subject: subject, Remedy: info.remedyFor(subject)}
}

// about returns the cause with another subject, and its remedy accordingly.
func (c Cause) about(subject string) Cause {
	c.Subject, c.Remedy = subject, infoOf(c.Kind).remedyFor(subject)
	return c
}

// orAbout returns the cause about subject, unless it has a subject already.
func (c Cause) orAbout(subject string) Cause {
	if c.Subject != "" {
		return c
	}
	return c.about(subject)
}
