package bootstrap

// Controller is one of Flux's controllers as it is deployed.
type Controller struct {
	Namespace, Name string
	// Version is the image's tag; the digest, where there is only that.
	Version string
	// Args are the controller's own; they decide how Flux behaves.
	Args []string
	// Replicas are wanted, Available answer.
	Replicas, Available int32
}

// Access is one thing that one may or may not do.
type Access struct {
	Verb, Group, Resource, Subresource string
	Namespace                          string // empty: all namespaces, or cluster-scoped
	Name                               string // empty: any
}

// String reads as kubectl auth can-i is written.
func (a Access) String() string {
	text := a.Verb + " " + a.Resource
	if a.Group != "" {
		text += "." + a.Group
	}
	if a.Subresource != "" {
		text += "/" + a.Subresource
	}
	if a.Name != "" {
		text += " " + a.Name
	}
	if a.Namespace != "" {
		text += " in namespace " + a.Namespace
	}
	return text
}

// Denied is an access that one does not have.
type Denied struct {
	Access
	Reason string // the authoriser's, often empty
}
