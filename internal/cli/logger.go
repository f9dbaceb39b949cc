package cli

import (
	"fmt"
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// logger carries what is neither a result nor an event: debug lines and the
// API server's warnings.
type logger struct{ zap *zap.SugaredLogger }

// newLogger writes to w. Without verbose only warnings pass.
func newLogger(w io.Writer, format string, verbose bool) *logger {
	enc := zap.NewProductionEncoderConfig()
	enc.EncodeTime = zapcore.ISO8601TimeEncoder
	encoder := zapcore.NewConsoleEncoder(enc)
	if format == "json" {
		encoder = zapcore.NewJSONEncoder(enc)
	}
	level := zapcore.WarnLevel
	if verbose {
		level = zapcore.DebugLevel
	}
	return &logger{zap.New(zapcore.NewCore(encoder, zapcore.AddSync(w), level)).Sugar()}
}

func (l *logger) debugf(format string, a ...any) { l.zap.Debug(fmt.Sprintf(format, a...)) }
func (l *logger) warnf(format string, a ...any)  { l.zap.Warn(fmt.Sprintf(format, a...)) }
