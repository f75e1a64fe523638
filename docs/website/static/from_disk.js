// Under a result the search shows lines of its page, which it fetches; of pages opened from a disk a browser fetches none.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
