/// A configuration together with where each of its values came from.
package struct LoadedConfiguration: Equatable, Sendable {
    package var configuration: ServerConfiguration
    /// By the option's key; what is missing is a default.
    package var origins: [String: ConfigurationOrigin]

    /// What `--print-config` shows: a line an option, with key, value and origin. Secrets are left out.
    package var listing: String {
        let rows = OptionTable.options.map { option in
            (
                key: option.key, value: option.text(in: self.configuration),
                origin: self.origins[option.key] ?? .default
            )
        }
        let keyWidth = rows.map(\.key.count).max() ?? 0
        // A long value (channels, paths) does not push the last column out of sight.
        let valueWidth = min(rows.map(\.value.count).max() ?? 0, 40)
        return rows.map { row in
            "\(row.key.padded(to: keyWidth)) = \(row.value.padded(to: valueWidth))  (\(row.origin))\n"
        }.joined()
    }
}

extension String {
    /// With blanks behind it; longer text stays as it is.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.count))
    }
}
