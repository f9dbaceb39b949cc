package waiters

import (
	apiacl "github.com/fluxcd/pkg/apis/acl"
	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
)

// specRules are the reasons that leave no question whatever the message says.
func specRules() []rule {
	return []rule{
		{kind: InvalidSpec, reasons: []string{
			meta.InvalidCELExpressionReason, meta.FeatureGateDisabledReason, apiacl.AccessDeniedReason,
			meta.InvalidURLReason, sourcev1.URLInvalidReason, sourcev1.InvalidSTSConfigurationReason,
			sourcev1.InvalidProviderConfigurationReason,
		}},
	}
}

// reasonRules decide by the reason alone, after no message was recognised.
func reasonRules() []rule {
	return []rule{
		{kind: BuildFailed, reasons: []string{meta.BuildFailedReason}},
		{kind: DependencyNotReady, reasons: []string{meta.DependencyNotReadyReason}},
		{kind: HealthCheckTimeout, reasons: []string{meta.HealthCheckFailedReason}},
		{kind: PruneFailed, reasons: []string{meta.PruneFailedReason}},
		{kind: SourceNoArtifact, reasons: []string{meta.ArtifactFailedReason}},
		{kind: SourceNoArtifact, reasons: []string{"SourceNotReady", "NoSourceArtifact"}},
		{kind: SourceUnauthorised, reasons: []string{sourcev1.AuthenticationFailedReason}},
		{kind: SourceUnverified, reasons: []string{"ChartVerificationError", sourcev1.VerificationError}},
		// HelmChart: the chart is there and cannot be used.
		{kind: BuildFailed, reasons: []string{"ValuesFilesError", "ChartPackageError", "MetadataPatchError"}},
		{kind: SourceUnreachable, reasons: []string{
			sourcev1.GitOperationFailedReason, sourcev1.OCIPullFailedReason,
			sourcev1.BucketOperationFailedReason,
		}},
	}
}
