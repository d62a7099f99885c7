// swift-tools-version: 6.2
import PackageDescription

// RoomCluster with NATS and its tests, as a package of its own: in the product's package another set of traits builds all
// targets anew. The directories of the product's targets are links.
let settings: [SwiftSetting] = [
    // As the trait does.
    .define("Cluster"),
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioLocks = Target.Dependency.product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

let package = Package(
    name: "roomline-cluster-tests",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CNats", providers: [.apt(["libnats-dev"])]),
        .target(name: "RoomModel", dependencies: [nioCore], swiftSettings: settings),
        .target(
            name: "RoomCrypto",
            dependencies: [.target(name: "CLibcrypto", condition: .when(platforms: [.linux]))],
            swiftSettings: settings
        ),
        .target(name: "RoomJSON", dependencies: ["RoomModel", nioCore], swiftSettings: settings),
        .target(name: "RoomTokens", dependencies: ["RoomCrypto"], swiftSettings: settings),
        .target(
            name: "RoomCore",
            dependencies: [
                "RoomTokens", "RoomCrypto", "RoomJSON", "RoomModel", nioCore, nioLocks,
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "RoomCluster",
            dependencies: [
                "CNats", "RoomCore", "RoomJSON", "RoomModel", nioCore, nioLocks,
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        // The log in memory only.
        .target(name: "RoomTestKit", dependencies: ["RoomCore", nioCore, nioLocks], swiftSettings: settings),
        .testTarget(
            name: "RoomClusterTests",
            dependencies: [
                "RoomCluster", "RoomCore", "RoomJSON", "RoomModel", "RoomTestKit", nioCore, nioLocks, nioPosix,
            ],
            swiftSettings: settings
        ),
    ]
)
