package catalog

// Answer is what can be said without a cluster. Not knowing is an answer of its
// own: whoever turns it into a no will call a healthy tree broken.
type Answer int

// The answers, from the weakest to the strongest.
const (
	No Answer = iota
	Unknown
	Yes
)

// String is the answer in a word.
func (a Answer) String() string {
	switch a {
	case No:
		return "no"
	case Yes:
		return "yes"
	case Unknown:
	}
	return "unknown"
}

// and is yes only if both are.
func (a Answer) and(b Answer) Answer { return min(a, b) }

// or is yes if one of them is.
func (a Answer) or(b Answer) Answer { return max(a, b) }

// not turns yes and no round.
func (a Answer) not() Answer { return Yes - a }

func answer(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}
