package runner

import "plumbline/models"

// answers is the cache of answers in the store.
type answers struct{ store *models.Store }
