import RoomModel

extension ValueForm<Int> {
    static func count(_ range: ClosedRange<Int>) -> ValueForm {
        ValueForm(
            "N",
            allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            format: { "\($0)" },
            read: { text in
                // A sign, which `Int` would take, is left out for one way to write a number.
                guard text.first?.isNumber == true, let value = Int(text) else { return nil }
                return range.contains(value) ? value : nil
            }
        )
    }

    /// In bytes.
    static func size(_ range: ClosedRange<Int>) -> ValueForm {
        let scale = UnitScale.bytes
        let bounds = "from \(scale.format(range.lowerBound)) to \(scale.format(range.upperBound))"
        return ValueForm(
            "SIZE",
            allowed: "a size such as 65536, 64KiB or 1MiB, \(bounds)",
            format: { scale.format($0) },
            read: { text in scale.parse(text).flatMap { range.contains($0) ? $0 : nil } }
        )
    }

    /// Beside what `form` takes, `unlimited`, which is `Int.max`.
    static func unlimited(or form: ValueForm<Int>) -> ValueForm {
        let optional = ValueForm<Int?>.word("unlimited", or: form)
        return ValueForm(
            placeholder: optional.placeholder,
            allowed: optional.allowed,
            parse: { text throws(InvalidValue) in try optional.parse(text) ?? .max },
            format: { optional.format($0 == .max ? nil : $0) }
        )
    }
}

extension ValueForm<Duration> {
    static func duration(_ range: ClosedRange<Duration>) -> ValueForm {
        let scale = UnitScale.milliseconds
        let format: @Sendable (Duration) -> String = { scale.format(Int($0.wholeMilliseconds)) }
        let examples = ["500ms", "10s", "5m", "2h", "30d"].filter { text in
            scale.parse(text).map { range.contains(.milliseconds($0)) } ?? false
        }
        return ValueForm(
            "DURATION",
            allowed:
                "a duration such as \(examples.isEmpty ? format(range.upperBound) : examples.joined(separator: " or ")), "
                + "from \(format(range.lowerBound)) to \(format(range.upperBound))",
            format: format,
            read: { text in
                guard let milliseconds = scale.parse(text) else { return nil }
                let duration = Duration.milliseconds(milliseconds)
                return range.contains(duration) ? duration : nil
            }
        )
    }
}

/// The bounds that several options share. They are wide: they keep out slips and overflows, not opinions.
enum ConfigurationBounds {
    static let longest = ChannelBounds.longest
    static let counts = ChannelBounds.counts
    static let frames = ChannelBounds.messageBytes
    static let memory = 1_024...(1 << 40)
}
