package waiters

import "testing"

func TestClassifySourceOfAKustomization(t *testing.T) {
	checkSayings(t, []saying{
		{
			"absent, from the cache", "ArtifactFailed",
			`GitRepository.source.toolkit.fluxcd.io "infra" not found`,
			SourceMissing, NeedsAction, "GitRepository infra",
		},
		{
			"absent, from the API server", "ArtifactFailed",
			`gitrepositories.source.toolkit.fluxcd.io "infra" not found`,
			SourceMissing, NeedsAction, "GitRepository infra",
		},
		{
			"absent OCI", "ArtifactFailed",
			`ocirepositories.source.toolkit.fluxcd.io "infra" not found`,
			SourceMissing, NeedsAction, "OCIRepository infra",
		},
		{
			"absent bucket", "ArtifactFailed",
			`buckets.source.toolkit.fluxcd.io "infra" not found`,
			SourceMissing, NeedsAction, "Bucket infra",
		},
		{
			"nothing fetched", "ArtifactFailed",
			"Source artifact not found, retrying in 30s",
			SourceNoArtifact, Passing, "",
		},
		{
			"storage lost", "ArtifactFailed",
			"Source is not ready, artifact not found, retrying in 30s",
			SourceNoArtifact, Passing, "",
		},
		{
			"source-controller is away", "ArtifactFailed",
			`failed to download archive: GET http://source-controller.flux-system.svc.cluster.local./gitrepository/flux-system/flux-system/a1b2.tar.gz giving up after 10 attempt(s): Get "http://source-controller.flux-system.svc.cluster.local./x": dial tcp 10.96.4.4:80: connect: connection refused`,
			SourceUnreachable, Passing, "source-controller.flux-system.svc.cluster.local.",
		},
		{
			"source-controller answers 500", "ArtifactFailed",
			`failed to download archive from http://source-controller.flux-system.svc.cluster.local./x.tar.gz (status: 500 Internal Server Error)`,
			SourceUnreachable, Passing, "source-controller.flux-system.svc.cluster.local.",
		},
		{
			"digest", "ArtifactFailed",
			`failed to verify archive: computed digest doesn't match provided 'sha256:aa' (check whether file size exceeds max download size)`,
			SourceNoArtifact, Passing, "",
		},
	})
}

func TestClassifyGit(t *testing.T) {
	clone := "failed to checkout and determine revision: unable to clone 'https://git.example.com/ops/infra.git': "
	list := "failed to checkout and determine revision: unable to list remote for 'ssh://git@git.example.com/ops/infra': "
	checkSayings(t, []saying{
		{
			"no credentials", "GitOperationFailed",
			clone + "authentication required: Repository not found.",
			SourceUnauthorised, NeedsAction, "",
		},
		{
			"refused credentials", "GitOperationFailed",
			clone + "authorization failed",
			SourceUnauthorised, NeedsAction, "",
		},
		{
			"ssh key", "GitOperationFailed",
			list + "ssh: handshake failed: ssh: unable to authenticate, attempted methods [none publickey], no supported methods remain",
			SourceUnauthorised, NeedsAction, "",
		},
		{
			"host key", "GitOperationFailed",
			list + "ssh: handshake failed: knownhosts: key mismatch",
			SourceUnauthorised, NeedsAction, "",
		},
		{
			"secret", "AuthenticationFailed",
			`failed to get secret 'flux-system/git-auth': secrets "git-auth" not found`,
			SourceUnauthorised, NeedsAction, "Secret flux-system/git-auth",
		},
		{
			"DNS", "GitOperationFailed",
			clone + `Get "https://git.example.com/ops/infra.git/info/refs?service=git-upload-pack": dial tcp: lookup git.example.com on 10.96.0.10:53: no such host`,
			SourceUnreachable, Passing, "git.example.com",
		},
		{
			"timeout", "GitOperationFailed",
			list + "dial tcp 192.0.2.7:22: i/o timeout",
			SourceUnreachable, Passing, "git.example.com",
		},
		{
			"deadline", "GitOperationFailed",
			clone + "context deadline exceeded",
			SourceUnreachable, Passing, "git.example.com",
		},
		{
			"certificate", "GitOperationFailed",
			clone + `Get "https://git.example.com/x": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
			SourceUnreachable, Passing, "git.example.com",
		},
		{
			"branch", "GitOperationFailed",
			clone + `couldn't find remote ref "refs/heads/mian"`,
			SourceRefMissing, NeedsAction, "refs/heads/mian",
		},
		{"repository", "GitOperationFailed", clone + "repository not found", SourceRefMissing, NeedsAction, ""},
		{
			"semver", "GitOperationFailed",
			"failed to checkout and determine revision: no match found for semver: >=9.0.0",
			SourceRefMissing, NeedsAction, ">=9.0.0",
		},
		{
			"signature", "InvalidCommitSignature",
			"signature verification of commit 'a1b2' failed: unable to verify Git commit: unable to verify payload with any of the given key rings",
			SourceUnverified, NeedsAction, "a1b2",
		},
	})
}

func TestClassifyOCIAndOthers(t *testing.T) {
	digest := "failed to determine artifact digest: GET https://ghcr.io/v2/ops/infra/manifests/latest: "
	checkSayings(t, []saying{
		{
			"denied", "OCIArtifactPullFailed",
			"failed to determine artifact digest: GET https://ghcr.io/token?scope=repository%3Aops%2Finfra%3Apull&service=ghcr.io: DENIED: requested access to the resource is denied",
			SourceUnauthorised, NeedsAction, "",
		},
		{
			"unauthorized", "OCIArtifactPullFailed",
			digest + "UNAUTHORIZED: authentication required; [map[Action:pull]]",
			SourceUnauthorised, NeedsAction, "",
		},
		{
			"status only", "OCIArtifactPullFailed",
			digest + "unexpected status code 401 Unauthorized",
			SourceUnauthorised, NeedsAction, "",
		},
		{
			"tag", "OCIArtifactPullFailed",
			digest + "MANIFEST_UNKNOWN: manifest unknown",
			SourceRefMissing, NeedsAction, "",
		},
		{
			"tag by semver", "ReadOperationFailed",
			"failed to determine the artifact tag for 'oci://ghcr.io/podinfo': no match found for semver: <= 6.1.0",
			SourceRefMissing, NeedsAction, "<= 6.1.0",
		},
		{
			"registry is away", "OCIArtifactPullFailed",
			`failed to determine artifact digest: Get "https://registry.lan:5000/v2/": dial tcp 192.0.2.5:5000: connect: connection refused`,
			SourceUnreachable, Passing, "registry.lan:5000",
		},
		{
			"cosign", "VerificationError",
			"failed to verify the signature using provider 'cosign': no matching signatures were found",
			SourceUnverified, NeedsAction, "",
		},
		{"bucket", "BucketOperationFailed", "bucket 'infra' not found", SourceRefMissing, NeedsAction, "infra"},
		{
			"bucket access", "BucketOperationFailed",
			"failed to confirm existence of 'infra' bucket: Access Denied.",
			SourceUnauthorised, NeedsAction, "",
		},
		{
			"bucket is away", "BucketOperationFailed",
			`failed to confirm existence of 'infra' bucket: Get "http://minio.lan:9000/infra/?location=": dial tcp: lookup minio.lan: no such host`,
			SourceUnreachable, Passing, "minio.lan:9000",
		},
		{
			"chart index", "Failed",
			"failed to fetch Helm repository index: failed to cache index to temporary file: failed to fetch https://charts.example.com/index.yaml : 401 Unauthorized",
			SourceUnauthorised, NeedsAction, "",
		},
		{
			"chart index is away", "Failed",
			`failed to fetch Helm repository index: failed to cache index to temporary file: Get "https://charts.example.com/index.yaml": dial tcp: lookup charts.example.com: no such host`,
			SourceUnreachable, Passing, "charts.example.com",
		},
		{
			"chart index is absent", "Failed",
			"failed to fetch Helm repository index: failed to cache index to temporary file: failed to fetch https://charts.example.com/index.yaml : 404 Not Found",
			SourceRefMissing, NeedsAction, "",
		},
		{
			"chart version", "InvalidChartReference",
			"invalid chart reference: failed to get chart version for remote reference: no 'podinfo' chart with version matching '99.0.0' found",
			SourceRefMissing, NeedsAction, "podinfo",
		},
		{
			"chart's source", "SourceUnavailable",
			`failed to get source: helmrepositories.source.toolkit.fluxcd.io "charts" not found`,
			SourceMissing, NeedsAction, "HelmRepository charts",
		},
		{
			"chart's source is empty", "NoSourceArtifact",
			"no artifact available for HelmRepository source 'charts'",
			SourceNoArtifact, Passing, "HelmRepository source 'charts'",
		},
	})
}
