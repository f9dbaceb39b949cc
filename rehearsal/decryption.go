package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/standup-sh/standup/internal/manifests"
)

// sopsKey is the Secret with the key that the encrypted objects of a set need.
func sopsKey(n *node) (objectKey, bool) {
	d := n.spec.Spec.Decryption
	if _, encrypted := firstEncrypted(n); !encrypted || d == nil || d.SecretRef == nil {
		return objectKey{}, false
	}
	return objectKey{kind: "Secret", namespace: n.ref.Namespace, name: d.SecretRef.Name}, true
}

func firstEncrypted(n *node) (manifests.Object, bool) {
	i := slices.IndexFunc(n.objects(), func(o manifests.Object) bool { return o.Encrypted && !o.LeftAlone() })
	if i < 0 {
		return manifests.Object{}, false
	}
	return n.objects()[i], true
}

// recipients are the keys to which the objects of a set are encrypted.
func recipients(n *node) string {
	var found []string
	for _, o := range n.objects() {
		for _, r := range listAt(o.Unstructured, "sops", "age") {
			if text := text(&unstructured.Unstructured{Object: r}, "recipient"); text != "" && !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
		for _, r := range listAt(o.Unstructured, "sops", "pgp") {
			if text := text(&unstructured.Unstructured{Object: r}, "fp"); text != "" && !slices.Contains(found, text) {
				found = append(found, text)
			}
		}
	}
	slices.Sort(found)
	return strings.Join(found, ", ")
}

// plainCiphertext finds an encrypted Secret in a set that nobody decrypts
// (reconcile, after the build): with data the API server refuses it, with
// stringData the ciphertext becomes the value and all looks well.
func plainCiphertext(n *node) (o manifests.Object, silent, found bool) {
	o, found = firstEncrypted(n)
	if !found || n.spec.Spec.Decryption != nil {
		return o, false, false
	}
	return o, len(mapAt(o.Unstructured, "data")) == 0 && len(mapAt(o.Unstructured, "stringData")) > 0, true
}

// ciphertextError says that a set has ciphertext that nobody decrypts and that
// the API server refuses.
type ciphertextError struct{ object manifests.Object }

func (e *ciphertextError) Error() string {
	return named(e.object) + " is encrypted, and the Kustomization has no spec.decryption: the API server refuses it"
}

func keyMessage(n *node, key objectKey) string {
	message := fmt.Sprintf("%s, the key that decrypts this set, is not in the tree and has to exist before", key)
	if r := recipients(n); r != "" {
		message += "; its objects are encrypted to " + r
	}
	return message
}
