package manifests

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	swapi "github.com/fluxcd/source-watcher/api/v2/v1beta1"
)

// ErrArchive says that an artifact takes its content out of archives, which are
// not unpacked here.
var ErrArchive = errors.New("it unpacks archives, which is not done here")

// errNoMatch is what stops an artifact most often: a directory that has moved.
var errNoMatch = errors.New("nothing in the source matches")

// origin is where a file of a composed tree was written.
type origin struct {
	tree *Tree
	file string
}

// Compose puts a tree together from others, by the copy rules of an
// ArtifactGenerator's artifact, as source-watcher does (v2.2,
// internal/builder/builder.go). Sources are keyed by alias. Nothing is written:
// the files of the new tree are those of the old ones under other names.
func Compose(sources map[string]*Tree, rules []swapi.CopyOperation) (*Tree, error) {
	t := &Tree{dirs: map[string][]string{".": nil}, files: map[string]bool{}, origins: map[string]origin{}}
	if aliases := slices.Sorted(maps.Keys(sources)); len(aliases) > 0 {
		t.root = sources[aliases[0]].root // a name for those who want an absolute one
	}
	for _, r := range rules {
		if err := t.copy(sources, r); err != nil {
			return nil, fmt.Errorf("copy from %q to %q: %w", r.From, r.To, err)
		}
	}
	return t, nil
}

// copy applies one rule. A pattern is one of path.Match: ** is no more than *,
// and a directory that matches is copied with all that is in it.
func (t *Tree) copy(sources map[string]*Tree, r swapi.CopyOperation) error {
	alias, pattern, ok := strings.Cut(strings.TrimPrefix(r.From, "@"), "/")
	to, toArtifact := strings.CutPrefix(r.To, "@artifact/")
	from := sources[alias]
	switch {
	case !ok || !strings.HasPrefix(r.From, "@"):
		return errors.New(`from is to be "@alias/pattern"`)
	case !toArtifact:
		return errors.New(`to is to begin with "@artifact/"`)
	case from == nil:
		return fmt.Errorf("there is no source with the alias %q", alias)
	case r.Strategy == swapi.ExtractStrategy:
		return ErrArchive
	}
	for _, x := range r.Exclude {
		if !doublestar.ValidatePattern(x) {
			return fmt.Errorf("the pattern %q of exclude is not valid", x)
		}
	}
	if !hasGlob(pattern) {
		return t.copyOne(from, path.Clean(pattern), to, r)
	}
	return t.copyMatches(from, pattern, to, r)
}

func hasGlob(p string) bool { return strings.ContainsAny(p, "*?[]") }

// copyOne does what cp -r does: a directory goes into the destination, and so
// does a file where the destination is a directory or ends in a slash.
func (t *Tree) copyOne(from *Tree, name, to string, r swapi.CopyOperation) error {
	switch {
	case from.isDir(name):
		return t.place(from, name, path.Join(to, path.Base(name)), name, r)
	case !from.isFile(name):
		return errNoMatch
	case excluded(name, ".", r.Exclude):
		return nil
	case strings.HasSuffix(r.To, "/"), t.isDir(path.Clean(to)):
		to = path.Join(to, path.Base(name))
	}
	return t.place(from, name, path.Clean(to), ".", r)
}

// copyMatches keeps the path of what matches, but for a pattern that ends in /**
// the part before that.
func (t *Tree) copyMatches(from *Tree, pattern, to string, r swapi.CopyOperation) error {
	matches, err := from.glob(pattern)
	if err != nil {
		return err
	}
	base := literalPrefix(pattern)
	before := len(matches)
	matches = slices.DeleteFunc(matches, func(m string) bool { return excluded(m, base, r.Exclude) })
	switch {
	case before == 0:
		return errNoMatch
	case len(matches) == 0:
		return errors.New("all that matches is excluded")
	}
	for _, m := range matches {
		target := m
		if dir, ok := strings.CutSuffix(pattern, "/**"); ok {
			target = strings.TrimPrefix(m, dir+"/")
		}
		if err := t.place(from, m, path.Join(to, target), base, r); err != nil {
			return err
		}
	}
	return nil
}

// glob lists the files and directories that match, sorted.
func (t *Tree) glob(pattern string) ([]string, error) {
	var found []string
	for _, names := range []func(func(string) bool){maps.Keys(t.files), maps.Keys(t.dirs)} {
		for name := range names {
			ok, err := path.Match(pattern, name)
			if err != nil {
				return nil, fmt.Errorf("the pattern is not valid: %w", err)
			}
			if ok && name != "." {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// literalPrefix is what a pattern has before its first segment with a wildcard.
func literalPrefix(pattern string) string {
	var fixed []string
	for segment := range strings.SplitSeq(path.Clean(pattern), "/") {
		if hasGlob(segment) {
			break
		}
		fixed = append(fixed, segment)
	}
	return path.Join(".", path.Join(fixed...))
}

// excluded asks the patterns of a path from the root of the source and from the
// base of the rule, and those without a slash of the name alone.
func excluded(name, base string, patterns []string) bool {
	names := []string{name}
	if rel, ok := strings.CutPrefix(name, base+"/"); ok {
		names = append(names, rel)
	}
	for _, p := range patterns {
		for _, n := range names {
			if doublestar.MatchUnvalidated(p, n) || !strings.Contains(p, "/") && doublestar.MatchUnvalidated(p, path.Base(n)) {
				return true
			}
		}
	}
	return false
}

// place copies a file, or a directory with all beneath it. Only a file that a
// rule names or matches by itself is merged.
func (t *Tree) place(from *Tree, name, to, base string, r swapi.CopyOperation) error {
	if from.isFile(name) {
		if r.Strategy == swapi.MergeStrategy && t.isFile(to) {
			return t.merge(from, name, to)
		}
		return t.link(from, name, to)
	}
	if t.isFile(to) {
		return fmt.Errorf("%s is a file already", to)
	}
	if to != "." {
		t.add(to, true)
	}
	for _, child := range from.dirs[name] {
		inside := path.Join(name, child)
		if excluded(inside, base, r.Exclude) {
			continue
		}
		if err := t.place(from, inside, path.Join(to, child), base, swapi.CopyOperation{Exclude: r.Exclude}); err != nil {
			return err
		}
	}
	return nil
}

// link makes a file of another tree one of this one; a later rule wins.
func (t *Tree) link(from *Tree, name, to string) error {
	if t.isDir(to) {
		return fmt.Errorf("%s is a directory already", to)
	}
	t.add(to, false)
	t.contents.Delete(to)
	if content, ok := from.contents.Load(name); ok { // read already, or merged
		t.contents.Store(to, content)
	}
	at, deeper := from.origins[name]
	if !deeper {
		at = origin{from, name}
	}
	t.origins[to] = at
	return nil
}

// origin gives the name under which a file was written: its own, unless the tree
// is composed.
func (t *Tree) origin(file string) string {
	if at, ok := t.origins[file]; ok {
		return at.file
	}
	return file
}
