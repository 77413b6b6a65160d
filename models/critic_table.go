package models

import "time"

// CriticTable is an imported table of recorded critics, without its file.
type CriticTable struct {
	ID         string
	ProjectID  string
	Name       string
	Origin     string // file name the user gave
	SHA256     string `gorm:"column:sha256"`
	Bytes      int64
	Declared   string // the declared columns, as JSON
	RowCount   int    // rows after the header, good or bad
	TaskCount  int    // tasks that were read whole
	Candidates int
	ErrorCount int
	Dropped    int // tasks left out because of an error
	Author     string
	CreatedAt  time.Time
}

// CriticTableFile is the file as it came.
type CriticTableFile struct {
	TableID string `gorm:"primaryKey"`
	Content []byte
}

// CriticTableError is a value of the file that could not be used.
type CriticTableError struct {
	TableID string `gorm:"primaryKey"`
	Idx     int    `gorm:"primaryKey;autoIncrement:false"`
	Line    int
	Field   string
	Value   string
	Why     string
}
