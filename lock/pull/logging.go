package pull

import (
	"context"
	"log/slog"
)

// Logging is a handler that logs the outcome of every Acquire and Release: success at
// level Debug; taken, timed out, cancelled and not held any more at Info; a lost lease
// at Warn; and failures at Error. Put it first, so that it sees the effect of other
// handlers.
type Logging struct {
	logger *slog.Logger
}

// NewLogging returns a handler that logs to the given logger, or to
// slog.Default().
func NewLogging(logger *slog.Logger) Logging {
	if logger == nil {
		logger = slog.Default()
	}
	return Logging{logger}
}

// Acquire logs the outcome of an Acquire.
func (l Logging) Acquire(ctx context.Context, a *Acquisition, next func(context.Context) error) error {
	err := next(ctx)
	attributes := []slog.Attr{slog.Duration("waited", a.Since(a.Began)), slog.Int("tries", a.Tries)}
	if err == nil {
		attributes = append(attributes, slog.Duration("ttl", a.TTL), slog.Time("until", a.Until))
		a.OnLost(func() {
			l.logger.LogAttrs(ctx, slog.LevelWarn, "lock lost", slog.String("lock", a.Name), slog.String("value", a.Value), slog.Duration("held", a.Since(a.Held)))
		})
	}
	l.log(ctx, "lock acquire", a, err, attributes...)
	return err
}

// Release logs the outcome of a Release.
func (l Logging) Release(ctx context.Context, a *Acquisition, next func(context.Context) error) error {
	err := next(ctx)
	l.log(ctx, "lock release", a, err, slog.Duration("held", a.Since(a.Held)))
	return err
}

func (l Logging) log(ctx context.Context, message string, a *Acquisition, err error, attributes ...slog.Attr) {
	outcome := OutcomeOf(err)
	level := slog.LevelInfo
	switch outcome {
	case Succeeded:
		level = slog.LevelDebug
	case Failed:
		level = slog.LevelError
	}
	if !l.logger.Enabled(ctx, level) {
		return
	}
	attributes = append(attributes, slog.String("lock", a.Name), slog.String("value", a.Value), slog.String("outcome", string(outcome)))
	if err != nil {
		attributes = append(attributes, slog.Any("error", err))
	}
	l.logger.LogAttrs(ctx, level, message, attributes...)
}
