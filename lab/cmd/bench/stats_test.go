package main

import (
	"testing"
	"time"
)

func TestMedianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want float64
	}{{nil, 0}, {[]float64{7}, 7}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := median(c.in); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.in, got, c.want)
		}
	}
	in := []time.Duration{3, 1, 2}
	if median(in); in[0] != 3 {
		t.Error("median changed the order of its argument")
	}
}

func TestPercentileIsOneOfTheValues(t *testing.T) {
	var values []time.Duration
	for i := 20; i >= 1; i-- {
		values = append(values, time.Duration(i))
	}
	for p, want := range map[float64]time.Duration{0: 1, 50: 10, 95: 19, 96: 20, 100: 20} {
		if got := percentile(values, p); got != want {
			t.Errorf("p%v = %d, want %d", p, got, want)
		}
	}
	if got := percentile(nil, 95); got != 0 {
		t.Errorf("percentile of nothing = %v", got)
	}
}

func TestRatioOfNothingIsZero(t *testing.T) {
	if got := ratio(3*time.Second, 2*time.Second); got != 1.5 {
		t.Errorf("ratio = %v", got)
	}
	if got := ratio(time.Second, 0); got != 0 {
		t.Errorf("ratio to nothing = %v", got)
	}
}

func TestHighWaterReadsTheStatusOfAProcess(t *testing.T) {
	if got := highWater("Name:\tx\nVmHWM:\t   69632 kB\nVmRSS:\t 1 kB\n"); got != 68<<20 {
		t.Errorf("got %d", got)
	}
	if got := highWater("Name:\tx\nVmHWM:\tmuch\n"); got != 0 {
		t.Errorf("got %d of nonsense", got)
	}
}
