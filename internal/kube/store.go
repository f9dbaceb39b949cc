package kube

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/standup-sh/standup/tiers"
)

// store holds the items of every kind and what changed. Its parts, one a kind,
// are filled by the reflectors.
type store struct {
	mu    sync.RWMutex
	items map[tiers.Ref]*item
	// sorted is rebuilt when an object came or went, not when one changed.
	sorted []tiers.Ref
	dirty  map[tiers.Ref]struct{}

	// changed holds at most one value: a reader that is late finds everything
	// in dirty.
	changed chan struct{}
}

func newStore() *store {
	return &store{
		items:   make(map[tiers.Ref]*item),
		dirty:   make(map[tiers.Ref]struct{}),
		changed: make(chan struct{}, 1),
	}
}

func (s *store) get(ref tiers.Ref) *item {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.items[ref]
}

// all returns the items in the order of their refs.
func (s *store) all() []*item {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sorted == nil {
		s.sorted = slices.SortedFunc(maps.Keys(s.items), tiers.Ref.Compare)
	}
	list := make([]*item, 0, len(s.sorted))
	for _, ref := range s.sorted {
		list = append(list, s.items[ref])
	}
	return list
}

func (s *store) takeChanged() []tiers.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	refs := slices.SortedFunc(maps.Keys(s.dirty), tiers.Ref.Compare)
	clear(s.dirty)
	return refs
}

// put stores an item unless it is the one that is known already: a new list
// after a lost watch repeats what nothing happened to. The lock is held.
func (s *store) put(i *item) {
	old := s.items[i.ref]
	if old != nil && old.ResourceVersion == i.ResourceVersion && old.UID == i.UID {
		return
	}
	if old == nil {
		s.sorted = nil
	}
	s.items[i.ref] = i
	s.mark(i.ref)
}

// drop removes an item. The lock is held.
func (s *store) drop(ref tiers.Ref) {
	if s.items[ref] == nil {
		return
	}
	delete(s.items, ref)
	s.sorted = nil
	s.mark(ref)
}

func (s *store) mark(ref tiers.Ref) {
	s.dirty[ref] = struct{}{}
	select {
	case s.changed <- struct{}{}:
	default: // a reader has not yet seen the last one
	}
}

// part is one kind's share of the store: what its reflector writes to. It
// implements cache.ReflectorStore.
type part struct {
	store  *store
	kind   string
	synced chan struct{} // closed after the first complete list
	once   sync.Once
}

// Add implements cache.ReflectorStore.
func (p *part) Add(obj any) error { return p.Update(obj) }

// Update implements cache.ReflectorStore.
func (p *part) Update(obj any) error {
	i, err := asItem(obj)
	if err != nil {
		return err
	}
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	p.store.put(i)
	return nil
}

// Delete implements cache.ReflectorStore.
func (p *part) Delete(obj any) error {
	i, err := asItem(obj)
	if err != nil {
		return err
	}
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	p.store.drop(i.ref)
	return nil
}

// Replace implements cache.ReflectorStore: a complete list. What it does not
// have is gone.
func (p *part) Replace(list []any, _ string) error {
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	listed := make(map[tiers.Ref]bool, len(list))
	for _, obj := range list {
		i, err := asItem(obj)
		if err != nil {
			return err
		}
		listed[i.ref] = true
		p.store.put(i)
	}
	for ref := range p.store.items {
		if ref.Kind == p.kind && !listed[ref] {
			p.store.drop(ref)
		}
	}
	p.once.Do(func() { close(p.synced) })
	return nil
}

// Resync implements cache.ReflectorStore; there is nothing to repeat.
func (*part) Resync() error { return nil }

func asItem(obj any) (*item, error) {
	i, ok := obj.(*item)
	if !ok {
		return nil, fmt.Errorf("the watch delivered a %T", obj)
	}
	return i, nil
}

func (p *part) hasSynced() bool {
	select {
	case <-p.synced:
		return true
	default:
		return false
	}
}
