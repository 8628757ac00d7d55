package widget

import "testing"

func TestMessageIsNotShownTwice(t *testing.T) {
	var list Toasts
	list.Push(RoleInfo, "authbridge is opening")
	list.Push(RoleWarn, "the journal is on a slow disk")
	again := list.next + 1
	list.Push(RoleInfo, "authbridge is opening")
	if len(list.shown) != 2 || list.shown[1].text != "authbridge is opening" {
		t.Errorf("shown: %+v", list.shown)
	}
	if list.Update(toastExpiredMsg{1}); len(list.shown) != 2 {
		t.Error("the end of the first message removed the second one")
	}
	if list.Update(toastExpiredMsg{again}); len(list.shown) != 1 {
		t.Errorf("shown after its time: %+v", list.shown)
	}
}
