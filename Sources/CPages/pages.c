// The files of the web pages as bytes: `#embed` (C23) costs the build nothing, and the compiler knows when one has changed.
// A test compares the list with the folder.
#include "CPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char base_css[] = {
#embed "../RoomHTTP/Pages/base.css"
};
static const unsigned char chat_acts_js[] = {
#embed "../RoomHTTP/Pages/chat-acts.js"
};
static const unsigned char chat_commands_js[] = {
#embed "../RoomHTTP/Pages/chat-commands.js"
};
static const unsigned char chat_dialogs_js[] = {
#embed "../RoomHTTP/Pages/chat-dialogs.js"
};
static const unsigned char chat_memory_js[] = {
#embed "../RoomHTTP/Pages/chat-memory.js"
};
static const unsigned char chat_moderation_js[] = {
#embed "../RoomHTTP/Pages/chat-moderation.js"
};
static const unsigned char chat_outbox_js[] = {
#embed "../RoomHTTP/Pages/chat-outbox.js"
};
static const unsigned char chat_people_js[] = {
#embed "../RoomHTTP/Pages/chat-people.js"
};
static const unsigned char chat_room_js[] = {
#embed "../RoomHTTP/Pages/chat-room.js"
};
static const unsigned char chat_sanctions_js[] = {
#embed "../RoomHTTP/Pages/chat-sanctions.js"
};
static const unsigned char chat_session_js[] = {
#embed "../RoomHTTP/Pages/chat-session.js"
};
static const unsigned char chat_timeline_js[] = {
#embed "../RoomHTTP/Pages/chat-timeline.js"
};
static const unsigned char chat_words_js[] = {
#embed "../RoomHTTP/Pages/chat-words.js"
};
static const unsigned char chat_writing_js[] = {
#embed "../RoomHTTP/Pages/chat-writing.js"
};
static const unsigned char chat_css[] = {
#embed "../RoomHTTP/Pages/chat.css"
};
static const unsigned char chat_html[] = {
#embed "../RoomHTTP/Pages/chat.html"
};
static const unsigned char chat_js[] = {
#embed "../RoomHTTP/Pages/chat.js"
};
static const unsigned char console_acts_js[] = {
#embed "../RoomHTTP/Pages/console-acts.js"
};
static const unsigned char console_api_js[] = {
#embed "../RoomHTTP/Pages/console-api.js"
};
static const unsigned char console_audit_js[] = {
#embed "../RoomHTTP/Pages/console-audit.js"
};
static const unsigned char console_channels_js[] = {
#embed "../RoomHTTP/Pages/console-channels.js"
};
static const unsigned char console_figures_js[] = {
#embed "../RoomHTTP/Pages/console-figures.js"
};
static const unsigned char console_overview_js[] = {
#embed "../RoomHTTP/Pages/console-overview.js"
};
static const unsigned char console_parts_js[] = {
#embed "../RoomHTTP/Pages/console-parts.js"
};
static const unsigned char console_plot_js[] = {
#embed "../RoomHTTP/Pages/console-plot.js"
};
static const unsigned char console_records_js[] = {
#embed "../RoomHTTP/Pages/console-records.js"
};
static const unsigned char console_room_js[] = {
#embed "../RoomHTTP/Pages/console-room.js"
};
static const unsigned char console_rooms_js[] = {
#embed "../RoomHTTP/Pages/console-rooms.js"
};
static const unsigned char console_talk_js[] = {
#embed "../RoomHTTP/Pages/console-talk.js"
};
static const unsigned char console_css[] = {
#embed "../RoomHTTP/Pages/console.css"
};
static const unsigned char console_html[] = {
#embed "../RoomHTTP/Pages/console.html"
};
static const unsigned char console_js[] = {
#embed "../RoomHTTP/Pages/console.js"
};
static const unsigned char icon_svg[] = {
#embed "../RoomHTTP/Pages/icon.svg"
};
static const unsigned char roomline_d_ts[] = {
#embed "../RoomHTTP/Pages/roomline.d.ts"
};
static const unsigned char roomline_js[] = {
#embed "../RoomHTTP/Pages/roomline.js"
};
static const unsigned char text_js[] = {
#embed "../RoomHTTP/Pages/text.js"
};

#define FILE(name, bytes) { name, bytes, sizeof bytes }

static const struct page_file files[] = {
    FILE("base.css", base_css),
    FILE("chat-acts.js", chat_acts_js),
    FILE("chat-commands.js", chat_commands_js),
    FILE("chat-dialogs.js", chat_dialogs_js),
    FILE("chat-memory.js", chat_memory_js),
    FILE("chat-moderation.js", chat_moderation_js),
    FILE("chat-outbox.js", chat_outbox_js),
    FILE("chat-people.js", chat_people_js),
    FILE("chat-room.js", chat_room_js),
    FILE("chat-sanctions.js", chat_sanctions_js),
    FILE("chat-session.js", chat_session_js),
    FILE("chat-timeline.js", chat_timeline_js),
    FILE("chat-words.js", chat_words_js),
    FILE("chat-writing.js", chat_writing_js),
    FILE("chat.css", chat_css),
    FILE("chat.html", chat_html),
    FILE("chat.js", chat_js),
    FILE("console-acts.js", console_acts_js),
    FILE("console-api.js", console_api_js),
    FILE("console-audit.js", console_audit_js),
    FILE("console-channels.js", console_channels_js),
    FILE("console-figures.js", console_figures_js),
    FILE("console-overview.js", console_overview_js),
    FILE("console-parts.js", console_parts_js),
    FILE("console-plot.js", console_plot_js),
    FILE("console-records.js", console_records_js),
    FILE("console-room.js", console_room_js),
    FILE("console-rooms.js", console_rooms_js),
    FILE("console-talk.js", console_talk_js),
    FILE("console.css", console_css),
    FILE("console.html", console_html),
    FILE("console.js", console_js),
    FILE("icon.svg", icon_svg),
    FILE("roomline.d.ts", roomline_d_ts),
    FILE("roomline.js", roomline_js),
    FILE("text.js", text_js),
};

size_t page_file_count(void) { return sizeof files / sizeof files[0]; }

struct page_file page_file_at(size_t index) { return files[index]; }
