package models

import "gorm.io/gorm"

// asksItems holds for items that are work of their own. Those of a control
// experiment are not: they are asked where an episode needs them, and one whose
// episodes have all ended is asked by nobody.
const asksItems = "experiment_id IN (SELECT id FROM experiments WHERE kind <> '" + KindControl + "')"

// openWork counts items and episodes that are not ended, of an experiment or of a
// shard, as column says.
func openWork(tx *gorm.DB, column, id string) (n int64, err error) {
	var items, episodes int64
	if err := tx.Model(&Item{}).Where(column+" = ? AND state IN ? AND "+asksItems, id, []string{ItemPending, ItemRunning}).Count(&items).Error; err != nil {
		return 0, err
	}
	err = tx.Model(&Episode{}).Where(column+" = ? AND state IN ?", id, []string{EpisodePending, EpisodeRunning}).Count(&episodes).Error
	return items + episodes, err
}

// reopenEpisodes makes open work of episodes that were left running or in error.
func (s *Store) reopenEpisodes(tx *gorm.DB, experimentID string) error {
	return tx.Model(&Episode{}).Where("experiment_id = ? AND state IN ?", experimentID, []string{EpisodeError, EpisodeRunning}).
		Updates(map[string]any{"state": EpisodePending, "why": "", "updated_at": s.Now()}).Error
}
