import ArgumentParser
import RoomServer

/// `roomline serve` as a shell knows it. `Serve` leaves its options to `OptionTable`; here the parser is given the same table, so
/// that a completion script has them.
struct CompletedServe: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: Serve.configuration.abstract)

    @Option(help: "A JSON file of options.", completion: .file())
    var config: String?

    @Flag(help: "Show every option with its value and its source, then end.")
    var printConfig = false

    @OptionGroup
    var table: TableOptions

    /// An option for each row of the table. The parser finds the options of a type by reflection, so they can be made at run time.
    struct TableOptions: ParsableArguments, CustomReflectable {
        init() {}

        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: Key.self)
        }

        var customMirror: Mirror {
            Mirror(self, children: OptionTable.options.map { (label: Optional($0.key), value: Self.argument($0)) })
        }

        private static func argument(_ option: ConfigurationOption) -> Any {
            let name = NameSpecification.customLong(option.key)
            if option.isToggle { return Flag(wrappedValue: false, name: name, help: "\(option.help)") }
            let help = ArgumentHelp(stringLiteral: option.help)
            guard !option.isRepeatable else {
                return Option<[String]>(wrappedValue: [], name: name, help: help, completion: option.completion)
            }
            return Option<String?>(name: name, help: help, completion: option.completion)
        }

        private struct Key: CodingKey {
            let stringValue: String
            let intValue: Int? = nil

            init?(stringValue: String) {
                self.stringValue = stringValue
            }

            init?(intValue: Int) {
                nil
            }
        }
    }
}

extension ConfigurationOption {
    /// The completion that a shell offers for its value.
    fileprivate var completion: CompletionKind {
        switch self.values {
        case .words(let words): .list(words)
        case .file: .file()
        case .directory: .directory
        case .anything: .list([])
        }
    }
}
