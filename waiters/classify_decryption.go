package waiters

import (
	"regexp"

	"github.com/fluxcd/pkg/apis/meta"
)

var (
	// The decryptor hands on the bare NotFound of the Secret with the key.
	reKeySecretBare  = regexp.MustCompile(`^(?:Secret|secrets) "([^"]+)" not found$`)
	reKeySecretGone  = regexp.MustCompile(`cannot get \w+ (?:SOPS age )?decryption Secret '([^']+)': .*not found`)
	reKeySecretWrong = regexp.MustCompile(`failed to import '[^']*' data from \w+ (?:SOPS age )?decryption Secret '([^']+)'`)
	reNoDecryption   = regexp.MustCompile(`(\S+) is SOPS encrypted, configuring decryption is required`)
	reKeyService     = regexp.MustCompile(`(?:decrypt|data key|Vault|KMS).*(?:dial tcp|no such host|i/o timeout|TLS handshake timeout|connection refused|deadline exceeded|status code: 50\d)`)
	reDecryptObject  = regexp.MustCompile(`decryption failed for '([^']+)'`)
	reDecryptFile    = regexp.MustCompile(`failed to decrypt and format '([^']+)'`)
)

// The texts of kustomize-controller's internal/decryptor. A key that is made
// outside git can still come; a file that the key does not open cannot.
func decryptionRules() []rule {
	return []rule{
		{kind: DecryptionFailed, class: NeedsAction, match: reKeySecretBare, reasons: []string{meta.BuildFailedReason}, subject: "Secret $1"},
		{kind: DecryptionFailed, class: NeedsAction, match: reKeySecretGone, subject: "Secret $1"},
		{kind: DecryptionFailed, class: NeedsAction, match: reKeySecretWrong, subject: "Secret $1"},
		{kind: DecryptionFailed, says: []string{"is SOPS encrypted"}, match: reNoDecryption, subject: "$1"},
		{kind: DecryptionFailed, class: Passing, says: []string{"decrypt", "data key", "Vault", "KMS"}, match: reKeyService},
		{kind: DecryptionFailed, match: reDecryptObject, subject: "$1"},
		{kind: DecryptionFailed, match: reDecryptFile, subject: "$1"},
		{kind: DecryptionFailed, says: []string{
			"error decrypting sources", "cannot create decryptor", "cannot get sops data key", "Error getting data key",
			"failed to verify sops data integrity", "failed to decrypt", "cannot decrypt", "Vault ConfigMap",
			"no Vault login path", "failed to authenticate with Vault",
		}},
	}
}
