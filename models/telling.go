package models

import (
	"context"
	"time"

	"gorm.io/gorm/logger"
)

// telling is a logger that tells of each statement as well.
type telling struct {
	logger.Interface
	tell func(sql string)
}

// LogMode keeps telling at any level.
func (t telling) LogMode(l logger.LogLevel) logger.Interface {
	return telling{t.Interface.LogMode(l), t.tell}
}

// Trace tells of a statement that was run.
func (t telling) Trace(ctx context.Context, begin time.Time, of func() (string, int64), err error) {
	sql, _ := of()
	t.tell(sql)
	t.Interface.Trace(ctx, begin, of, err)
}

// ParamsFilter keeps values out of what is told.
func (t telling) ParamsFilter(ctx context.Context, sql string, params ...any) (string, []any) {
	if f, ok := t.Interface.(interface {
		ParamsFilter(ctx context.Context, sql string, params ...any) (string, []any)
	}); ok {
		return f.ParamsFilter(ctx, sql, params...)
	}
	return sql, params
}
