package manifests

import (
	"bytes"
	"encoding/base64"
	"strings"

	"sigs.k8s.io/kustomize/api/resource"
)

// ciphertext is how every value begins that SOPS has encrypted.
const ciphertext = "ENC[AES256_GCM,"

// isEncrypted reports whether an object carries SOPS ciphertext: as a whole, or,
// for a Secret that was generated from encrypted files, in its data. The
// controller decrypts both, if it is told to.
func isEncrypted(r *resource.Resource) bool {
	if sops := r.Field("sops"); !sops.IsNilOrEmpty() {
		return true
	}
	if r.GetKind() != "Secret" {
		return false
	}
	for key, value := range r.GetDataMap() {
		if strings.HasPrefix(key, "sops_") { // the metadata of an env file
			return true
		}
		plain, err := base64.StdEncoding.DecodeString(value)
		if strings.Contains(value, ciphertext) || err == nil && bytes.Contains(plain, []byte(ciphertext)) {
			return true
		}
	}
	return false
}
