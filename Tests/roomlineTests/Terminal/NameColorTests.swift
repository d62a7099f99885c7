import RoomModel
import Testing

@testable import roomline

@Suite struct NameColorTests {
    @Test(
        arguments: [
            ("#2e7d32", 0x2e, 0x7d, 0x32), ("#2E7D32", 0x2e, 0x7d, 0x32), ("#fff", 0xff, 0xff, 0xff),
            ("#1af", 0x11, 0xaa, 0xff),
            ("teal", 0, 0x80, 0x80), ("RebeccaPurple", 0x66, 0x33, 0x99), (" red ", 0xff, 0, 0),
            ("aliceblue", 0xf0, 0xf8, 0xff),
            ("yellowgreen", 0x9a, 0xcd, 0x32),
        ] as [(String, UInt8, UInt8, UInt8)]
    )
    func `a colour is read as CSS has it`(text: String, red: UInt8, green: UInt8, blue: UInt8) {
        #expect(NameColor(text) == NameColor(red: red, green: green, blue: blue))
    }

    @Test(arguments: [
        "", "#", "#12", "#12345", "#1234567", "#gggggg", "2e7d32", "nocolour", "#+1-2_3", "\u{1b}[31m", "rgb(1,2,3)",
    ])
    func `anything else is none`(text: String) {
        #expect(NameColor(text) == nil)
    }

    @Test func `a colour is written as digits`() {
        #expect(NameColor("navy")?.text == "#000080")
        #expect(NameColor.derived(from: "Luke").text.count == 7)
    }

    @Test(arguments: [
        ("hotpnk", "; did you mean hotpink?"), ("#12345", ""), ("", ""),
    ])
    func `a wrong colour is answered with what would be right`(text: String, guess: String) {
        let right = "\(text) is not a colour; it has to be like #2e7d32, or a name as CSS has them, such as teal"
        #expect(NameColor.advice(for: text) == right + guess)
    }

    @Test func `a name without a colour has one of its own`() {
        #expect(NameColor.derived(from: "Luke") == NameColor.derived(from: "Luke"))
        #expect(NameColor.derived(from: "Luke") != NameColor.derived(from: "Leia"))
    }

    @Test(arguments: ["black", "white", "yellow", "navy", "lime", "red", "blue", "gray", "#010101", "cyan"])
    func `a name can be read on black and on white`(text: String) throws {
        let color = try #require(NameColor(text))
        let light = color.readable.linear
        let luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
        #expect((luminance + 0.05) / 0.05 >= 4.5)
        #expect(1.05 / (luminance + 0.05) >= 4.5)
        let number = try #require(color.parameters(in: .ansi256).last)
        #expect(Self.ofTheCube(number)?.leastContrast ?? 4 >= 4)
    }

    /// `nil` for a grey.
    private static func ofTheCube(_ number: Int) -> NameColor? {
        let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
        guard case 0..<216 = number - 16 else { return nil }
        let index = number - 16
        return NameColor(red: steps[index / 36], green: steps[index / 6 % 6], blue: steps[index % 6])
    }

    @Test func `a colour that can be read stays as it is`() throws {
        let brown = try #require(NameColor("#8c6f64"))
        let shown = brown.readable
        #expect(
            abs(Int(shown.red) - 0x8c) <= 1 && abs(Int(shown.green) - 0x6f) <= 1 && abs(Int(shown.blue) - 0x64) <= 1
        )
    }

    @Test(
        arguments: [
            (Palette.plain, []), (.monochrome, []), (.ansi16, [32]), (.ansi256, [38, 5, 29]),
            (.trueColor, [38, 2, 65, 131, 68]),
        ] as [(Palette, [Int])]
    )
    func `each palette has its nearest`(palette: Palette, parameters: [Int]) {
        #expect(NameColor("#2e7d32")?.parameters(in: palette) == parameters)
    }

    @Test(
        arguments: [
            ("red", [31]), ("green", [32]), ("olive", [33]), ("blue", [34]), ("purple", [35]), ("teal", [36]),
            ("gray", []), ("black", []),
        ] as [(String, [Int])]
    )
    func `sixteen colours are taken by hue`(text: String, parameters: [Int]) {
        #expect(NameColor(text)?.parameters(in: .ansi16) == parameters)
    }
}
