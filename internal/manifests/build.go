package manifests

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
)

// Options are what the controller's flags decide.
type Options struct {
	// Strict refuses variables that nothing defines: the controller's
	// StrictPostBuildSubstitutions, on by default since 1.9.0.
	Strict bool
	// AllowRemoteBases lets kustomize fetch bases from the network, as the
	// controller does unless told not to. Otherwise nothing is fetched, and a
	// remote base is a *RemoteBaseError.
	AllowRemoteBases bool
	// WithoutRemoteBases builds what a set is without the remote resources and
	// components that it lists. The *RemoteBaseError is reported all the same;
	// where kustomize can do without them, with the rest of the set.
	WithoutRemoteBases bool
}

// Build makes the set of a Flux Kustomization whose source the tree is.
//
// Beside errors of its own type for what an operator can mend (*PathError,
// *RemoteBaseError, *BuildError), it reports *MissingValuesError and
// *SubstituteError: with these two alone the set is returned as well, and with a
// *RemoteBaseError if that was asked for. Its objects then still have the ${tokens} that could not be replaced; they show
// what the set would be, and are not to be applied.
func (t *Tree) Build(ctx context.Context, kustomization *unstructured.Unstructured, values Values, opts Options) (*Set, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	specPath, _, err := unstructured.NestedString(kustomization.Object, "spec", "path")
	if err != nil {
		return nil, &BuildError{Path: ".", Err: err}
	}
	dir, err := t.directory(specPath)
	if err != nil {
		return nil, err
	}
	resources, survey, err := t.kustomize(dir, kustomization, opts)
	if err != nil {
		if _, ok := errors.AsType[*RemoteBaseError](err); ok {
			return nil, err
		}
		return nil, &BuildError{Path: dir, Err: scrub(err, t.root)}
	}
	s, err := newSubstitution(ctx, kustomization, values, opts.Strict, resources.Resources())
	if _, ok := errors.AsType[*unreadable](err); ok {
		return nil, fmt.Errorf("variables of %s/%s: %w", kustomization.GetNamespace(), kustomization.GetName(), err)
	} else if err != nil {
		return nil, &BuildError{Path: dir, Err: err}
	}
	b := builder{survey: survey, substitution: s, set: &Set{Remote: survey.left, secrets: secretValues(s.vars.secret), taints: map[objectKey][]taint{}}}
	kustomizing.Lock()
	defer kustomizing.Unlock()
	err = b.all(ctx, resources)
	if err == nil {
		err = finish(b.set.Objects, kustomization)
	}
	if err != nil {
		err = &BuildError{Path: dir, Err: b.private(err)}
		return nil, errors.Join(err, s.err())
	}
	if survey.leftOut != nil {
		return b.set, errors.Join(survey.leftOut, s.err())
	}
	return b.set, s.err()
}

// kustomize runs the steps up to the substitution.
func (t *Tree) kustomize(dir string, spec *unstructured.Unstructured, opts Options) (resmap.ResMap, *survey, error) {
	kustomizing.Lock()
	defer kustomizing.Unlock()
	if t.isFile(dir) {
		return nil, nil, errNotADirectory
	}
	manifest, file, err := t.generate(dir, spec)
	if err != nil {
		return nil, nil, err
	}
	survey, err := t.survey(file, manifest, opts)
	if err != nil {
		return nil, nil, err
	}
	view, err := t.view(survey.written, opts.AllowRemoteBases)
	if err != nil {
		return nil, nil, err
	}
	resources, err := runKustomize(view, t.onDisk(dir), survey.ownSchema)
	if err != nil && survey.leftOut != nil {
		err = survey.leftOut // it may be that which kustomize misses
	}
	return resources, survey, err
}

// builder turns what kustomize made into objects.
type builder struct {
	survey       *survey
	substitution *substitution
	set          *Set
}

// all goes through the set as the controller does, but to its end.
func (b *builder) all(ctx context.Context, resources resmap.ResMap) error {
	var faults []error
	for _, r := range resources.Resources() {
		if err := b.add(ctx, resources, r); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

func (b *builder) add(ctx context.Context, resources resmap.ResMap, r *resource.Resource) error {
	from, _ := b.survey.locate(r)
	if r.GetName() == "" || r.GetKind() == "" || r.GetApiVersion() == "" {
		// The controller's message quotes the whole object, which may be secret.
		return fmt.Errorf("%s has an object without apiVersion, kind or name", cmp.Or(b.survey.tree.origin(from.file), "the set"))
	}
	label := r.GetKind() + " " + r.GetName()
	encrypted := isEncrypted(r)
	var masked *resource.Resource
	substituted := !encrypted && b.substitution.applies(r) && hasDollar(r.YNode())
	if !encrypted && b.substitution.applies(r) {
		var err error
		if b.substitution.changes(r) {
			masked, err = b.substitute(ctx, r, from)
		}
		if err == nil {
			// As the controller does, which so finds that two objects have
			// become one.
			_, err = resources.Replace(r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", label, err)
		}
	}
	objects, err := decode(r, encrypted)
	if err != nil {
		return fmt.Errorf("%s: %w", label, err)
	}
	if masked != nil {
		b.taint(objects, masked)
	}
	for _, u := range objects {
		b.set.Objects = append(b.set.Objects, Object{
			Unstructured: u, File: b.survey.tree.origin(from.file), Line: from.line, Encrypted: encrypted, Substituted: substituted,
		})
	}
	return nil
}

// substitute substitutes an object in place and notes what is undefined. If
// there are secret values, it also gives the object with others in their place.
func (b *builder) substitute(ctx context.Context, r *resource.Resource, from source) (masked *resource.Resource, err error) {
	s := b.substitution
	undefined := s.undefinedBy(r)
	for _, variable := range undefined {
		u := Undefined{Variable: variable, Kind: r.GetKind(), Namespace: r.GetNamespace(), Name: r.GetName(), File: b.survey.tree.origin(from.file)}
		if u.File != "" {
			u.Line = b.survey.lineOfVariable(from, variable)
		}
		s.undefined = append(s.undefined, u)
	}
	if len(s.vars.secret) == 0 {
		return nil, s.with(ctx, r, keeping(s.vars.all, undefined))
	}
	masked = r.DeepCopy()
	maskedErr := s.with(ctx, masked, keeping(s.masked(), undefined))
	err = s.with(ctx, r, keeping(s.vars.all, undefined))
	switch {
	case err != nil && maskedErr != nil:
		return nil, maskedErr // the same, and quotes no secret
	case err != nil:
		return nil, errSecretBreaks
	case maskedErr != nil:
		return &resource.Resource{}, nil //nolint:nilerr // cannot be compared: all is hidden
	default:
		return masked, nil
	}
}

// errSecretBreaks stands for a parser's error, which quotes what it read.
var errSecretBreaks = errors.New("substitution failed: with a value that comes from a Secret the object is not valid YAML")

// taint notes which values of the objects depend on a Secret.
func (b *builder) taint(objects []*unstructured.Unstructured, masked *resource.Resource) {
	var other []*unstructured.Unstructured
	if !masked.IsNilOrEmpty() {
		other, _ = decode(masked, false) // compared below, if it can be
	}
	for i, u := range objects {
		found := []taint{{}}
		if len(other) == len(objects) {
			found = taintsBetween(u.Object, other[i].Object, nil)
		}
		b.set.taints[keyOf(u)] = append(b.set.taints[keyOf(u)], found...)
	}
}

// private takes secret values out of an error: libraries quote what they could
// not parse.
func (b *builder) private(err error) error {
	if hidden := b.set.RedactText(err.Error()); hidden != err.Error() {
		return errors.New(hidden)
	}
	return err
}
