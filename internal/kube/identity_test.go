package kube

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestIdentity(t *testing.T) {
	id, ok := parseIdentity(Identity("r1"))
	if !ok || id.run != "r1" || id.pid != os.Getpid() {
		t.Fatalf("parsed %+v", id)
	}
	if id.gone() {
		t.Error("this very process is said to be gone")
	}
	if one, two := Identity(""), Identity(""); one == two {
		t.Error("two runs have one name")
	}
}

func TestGone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells when a process started")
	}
	me, _ := parseIdentity(Identity("x"))
	reused := me
	reused.process = strings.TrimRight(me.process, "0123456789") + "1" // started at another time
	elsewhere := me
	elsewhere.host, elsewhere.pid = "elsewhere", 1<<22+1
	container := me
	container.process, container.pid = "0123abcd-1-77", 1<<22+1
	dead, _ := parseIdentity(deadHere(t))
	for name, tt := range map[string]struct {
		id   identity
		want bool
	}{
		"a dead process":                        {dead, true},
		"a pid that was given out again":        {reused, true},
		"a process of another host":             {elsewhere, false},
		"a process of a container, or old boot": {container, false},
	} {
		if got := tt.id.gone(); got != tt.want {
			t.Errorf("%s: gone is %t (%s)", name, got, tt.id)
		}
	}
}

func TestParseIdentityRefuses(t *testing.T) {
	for _, text := range []string{"", "host", "host_uuid", "a/b/c/d", "a/0/c/d", "a/-1/c/d", "a/1/c/d/e"} {
		if id, ok := parseIdentity(text); ok {
			t.Errorf("%q is parsed as %+v", text, id)
		}
	}
}
