import RoomCore
import RoomModel
import Testing

struct PermissionTableTests {
    @Test(arguments: [
        // One pattern: unanchored unless it says so.
        (#"{"main":{"publish":true}}"#, "the-main-room", "p"),
        (#"{"^main":{"publish":true}}"#, "the-main-room", ""),
        (#"{"^main$":{"publish":true}}"#, "main", "p"),
        (#"{"^main$":{"publish":true}}"#, "main-room", ""),
        (#"{"^main$":{"publish":true}}"#, "MAIN", ""),
        (#"{"(?i)^main$":{"publish":true}}"#, "MAIN", "p"),
        (#"{"":{"publish":true}}"#, "any", "p"),
        (#"{".*":{"publish":true,"subscribe":true,"moderate":true,"history":7}}"#, "any", "psm7"),
        (#"{"^room-\\d+$":{"subscribe":true}}"#, "room-12", "s"),
        (#"{"^room-\\d+$":{"subscribe":true}}"#, "room-x", ""),
        (#"{"^(a|b)-room$":{"subscribe":true}}"#, "b-room", "s"),
        (#"{"^a\\.b$":{"subscribe":true}}"#, "a.b", "s"),
        (#"{"^a\\.b$":{"subscribe":true}}"#, "axb", ""),
        (#"{"^a.b$":{"subscribe":true}}"#, "axb", "s"),
        // Perl's syntax.
        (#"{"^(?!secret-)":{"subscribe":true}}"#, "secret-x", ""),
        (#"{"^(?!secret-)":{"subscribe":true}}"#, "open-x", "s"),
        (#"{"(?<=user-)\\w+$":{"subscribe":true}}"#, "user-7", "s"),
        (#"{"^(\\w)\\1$":{"subscribe":true}}"#, "aa", "s"),
        (#"{"^\\p{Lu}":{"subscribe":true}}"#, "Äpfel", "s"),
        // Several match: a deny wins in either order, the lowest history holds.
        (
            #"{".*":{"publish":true,"subscribe":true},"^main-room$":{"publish":false,"subscribe":false}}"#, "main-room",
            ""
        ),
        (#"{".*":{"publish":true,"subscribe":true},"^main-room$":{"publish":false,"subscribe":false}}"#, "x", "ps"),
        (#"{"^main-room$":{"publish":false},".*":{"publish":true,"subscribe":true}}"#, "main-room", "s"),
        (#"{"a":{"publish":true},"b":{"subscribe":true}}"#, "ab", "ps"),
        (#"{"a":{"publish":true},"b":{}}"#, "ab", "p"),
        (#"{"a":{"moderate":true},"b":{"moderate":false}}"#, "ab", ""),
        (#"{"a":{"history":9},"b":{"history":4},"c":{"history":1}}"#, "ab", "4"),
        (#"{"a":{"history":9},"b":{"history":0}}"#, "ab", ""),
        (#"{"a":{"history":9},"b":{}}"#, "ab", "9"),
        (#"{"a":{"publish":true},"a":{"publish":false}}"#, "a", ""),
        // Left out, null and unknown fields say nothing.
        (#"{"a":{"publish":null,"subscribe":true,"dance":true,"history":null}}"#, "a", "s"),
        (#"{"a":{"history":1e2}}"#, "a", "100"),
        (#"{"a":{"subscribe":true}}"#, "b", ""),
        (#"{}"#, "b", ""),
        // What is not a pattern grants nothing, and what it denies is denied.
        (#"{"(":{"publish":true},"a{2,1}":{"publish":true},"a":{"publish":true}}"#, "a(", "p"),
        (#"{"(":{"publish":true},"a{2,1}":{"publish":false},"a":{"publish":true,"subscribe":true}}"#, "a(", "s"),
        (#"{"^*.$":{"publish":true},".*":{"publish":true}}"#, "any", "p"),
        (#"{"^secret(-.*$":{"subscribe":false,"moderate":false},".*":{"subscribe":true,"moderate":true}}"#, "any", ""),
        (#"{"secret|\ud800":{"subscribe":false},".*":{"subscribe":true,"publish":true}}"#, "secret", "p"),
        (#"{"(":{"history":0},".*":{"history":9}}"#, "any", ""),
        (#"{"*":{"publish":true},"[":{"publish":true},"\\":{"publish":true},"+a":{"publish":true}}"#, "*[\\+a", ""),
        (#"{"\ud800":{"publish":true},"a\udc00":{"publish":true}}"#, "a\u{FFFD}", ""),
        // Names are bytes: no two spellings of a letter are the same; a letter outside the first plane is one.
        ("{\"^\u{E9}$\":{\"publish\":true}}", "\u{E9}", "p"),
        ("{\"^\u{E9}$\":{\"publish\":true}}", "e\u{301}", ""),
        (#"{"^\u00e9$":{"publish":true}}"#, "\u{E9}", "p"),
        ("{\"^[\u{E9}]$\":{\"publish\":true}}", "e\u{301}", ""),
        (#"{"^\ud83d\ude00$":{"publish":true}}"#, "😀", "p"),
        (#"{"^.$":{"publish":true}}"#, "😀", "p"),
        (#"{"^комната-[0-9]$":{"publish":true}}"#, "комната-1", "p"),
        // The end of a name is its end, also where it looks like the end of a line.
        (#"{"^main$":{"publish":true}}"#, "main\u{2028}", ""),
        (#"{"^(main)$":{"publish":true}}"#, "main\u{2028}", ""),
        (#"{"^(main)$":{"publish":true}}"#, "main\u{85}", ""),
    ])
    func `a token permits`(permissions: String, room: String, expected: String) throws {
        let permission = try TokenSample.permission(permissions, in: room)
        var text =
            (permission.publish ? "p" : "") + (permission.subscribe ? "s" : "") + (permission.moderate ? "m" : "")
        if permission.history > 0 { text += "\(permission.history)" }
        #expect(text == expected)
    }
}
