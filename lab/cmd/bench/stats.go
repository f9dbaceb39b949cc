package main

import (
	"math"
	"slices"
	"time"
)

// median is the middle value, or the mean of the two in the middle; 0 of none.
func median[T time.Duration | float64 | int64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	if len(s)%2 == 1 {
		return s[len(s)/2]
	}
	return (s[len(s)/2-1] + s[len(s)/2]) / 2
}

// percentile is the smallest value that at least p percent of the values do not
// exceed; 0 of none.
func percentile(values []time.Duration, p float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p / 100 * float64(len(s))))
	return s[min(max(rank, 1), len(s))-1]
}

// ratio is a/b; 0 where b is 0, which is not a ratio but also not a crash.
func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return a.Seconds() / b.Seconds()
}
